// A session goes on after Cinch was killed during a call: what the call did, or somebody since, is found and written down
// before anything else happens, so that it can be taken back later and the model knows of it.
// Invariant: nothing in the project is changed. Not here: how it is found (files/undo/crashed.ts).

import type { FileChange } from "../../core/plan.js";
import { type Changed, describeChanges } from "../../files/journal/changes.js";
import { fileKind } from "../../files/mode.js";
import { crashedStep } from "../../files/undo/crashed.js";
import type { State } from "../../files/undo/history.js";
import { createObjectStore } from "../../lib/object-store.js";
import { shownPath } from "../../lib/paths.js";
import { ownGround } from "../place.js";
import { bookCrash, type UndoLog, type UndoPlace } from "../undo/undo.js";
import { readLog } from "./family.js";

export interface Interrupted {
  call: string;
  files: FileChange[];
  /** What the model reads of it. */
  text: string;
}

const lead = "Since it began, these files have changed, by this call or by somebody else:";

interface Limits {
  /** Bytes of a file up to which its content is kept. */
  keep: number;
  /** Files whose content is not shown. */
  conceals(path: string): boolean;
}

/** Null when every call came to its end, or nothing differs. */
export async function lookBack(
  at: UndoPlace,
  log: Pick<UndoLog, "append" | "file">,
  { keep, conceals }: Limits,
): Promise<Interrupted | null> {
  const { disk, root, cwd, state, clock } = at;
  const objects = createObjectStore(disk, `${state}/checkpoints/objects`);
  const found = (bytes: Buffer) => void (bytes.length <= keep && objects.put(bytes));
  const step = await crashedStep(readLog(at, log.file).entries, {
    disk,
    root,
    skip: ownGround(at),
    objects,
    clock,
    found,
  });
  if (!step) return null;
  const files = bookCrash(log, step);
  await objects.flush();
  if (files.length === 0) return null;
  const side = (now: State | null) => now && { hash: now.hash, mode: now.mode ?? fileKind };
  const changes = step.changes.map(({ path, before, after }): Changed => {
    return { path, name: shownPath(cwd, path), before: side(before), after: side(after) };
  });
  const { text } = await describeChanges(changes, (hash) => objects.get(hash), conceals);
  return { call: step.call, files, text: text === "" ? "" : `${lead}\n${text}` };
}
