// A session goes on after Cinch was killed during a call: what the call did, or somebody since, is found and written down
// before anything else happens, so that it can be taken back later, and each call gets a result that says what is known.
// Invariant: nothing in the project is changed. Of a call that had announced what it would leave, the disk tells the truth; of a
// command nobody knows. Not here: how changes are found (files/undo/crashed.ts), and the words (lost-result.ts).

import type { Entry } from "../../core/entry.js";
import type { Message } from "../../core/message.js";
import type { FileChange } from "../../core/plan.js";
import type { CallStatus } from "../../core/tool.js";
import { type Changed, describeChanges } from "../../files/journal/changes.js";
import { fileKind } from "../../files/mode.js";
import { crashedStep } from "../../files/undo/crashed.js";
import type { State } from "../../files/undo/history.js";
import { PresentFiles } from "../../files/undo/present.js";
import type { Fs } from "../../lib/fs.js";
import { createObjectStore } from "../../lib/object-store.js";
import { shownPath } from "../../lib/paths.js";
import { ownGround } from "../place.js";
import { bookCrash, type UndoLog, type UndoPlace } from "../undo/undo.js";
import { readLog } from "./family.js";
import { type Fate, lostResult, type OpenCall } from "./lost-result.js";

/** What calls without a result have come to. */
export interface Settled {
  /** Changed by the one that was killed. */
  files: FileChange[];
  /** A result for each, in their order. */
  results: Message[];
}

interface Interrupted {
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

interface Lost {
  open: readonly OpenCall[];
  intents: readonly Entry<"intent">[];
  limits: Limits;
}

type Log = Pick<UndoLog, "append" | "file">;

export async function settleCalls(at: UndoPlace, log: Log, { open, intents, limits }: Lost): Promise<Settled> {
  const fates = new Map<string, Fate>();
  for (const { call, state } of open) {
    const intent = intents.findLast(({ data }) => data.call === call);
    const fate = state === "unknown" && intent ? await fateOf(at, intent.data) : null;
    if (fate) fates.set(call, fate);
  }
  const begun = open.some(({ state }) => state === "unknown");
  const found = begun ? await lookBack(at, log, limits, fates) : null;
  const results = open.map((each) => {
    const text = found?.call === each.call ? found.text : "";
    return lostResult(each, text, fates.get(each.call) ?? null);
  });
  return { files: found?.files ?? [], results };
}

/** Null when the call did not say what it would leave, or when that is what was there before. */
async function fateOf({ disk, cwd }: { disk: Fs; cwd: string }, intent: Entry<"intent">["data"]): Promise<Fate | null> {
  const files = (intent.files ?? []).filter(({ before, after }) => before !== after);
  if (files.length === 0) return null;
  const present = new PresentFiles(disk);
  await present.look(files.map(({ path }) => path));
  const fate = { written: [] as string[], unwritten: [] as string[], other: [] as string[] };
  for (const { path, before, after } of files) {
    const now = present.at(path);
    const hash = typeof now === "string" ? now : (now?.hash ?? null);
    const kind = hash === after ? "written" : hash === before ? "unwritten" : "other";
    fate[kind].push(shownPath(cwd, path));
  }
  return fate;
}

function statusOf(fate: Fate | undefined): CallStatus {
  if (!fate || fate.other.length > 0) return "unknown";
  if (fate.unwritten.length === 0) return "ok";
  return fate.written.length === 0 ? "not_run" : "error";
}

/** Null when every call came to its end. */
async function lookBack(
  at: UndoPlace,
  log: Log,
  { keep, conceals }: Limits,
  fates: ReadonlyMap<string, Fate>,
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
  const fate = fates.get(step.call);
  const files = bookCrash(log, step, statusOf(fate));
  await objects.flush();
  const side = (now: State | null) => now && { hash: now.hash, mode: now.mode ?? fileKind };
  const changes = step.changes.map(({ path, before, after }): Changed => {
    return { path, name: shownPath(cwd, path), before: side(before), after: side(after) };
  });
  // What the call would have left is not what is in such a file.
  const shown = changes.filter(({ name }) => !fate?.other.includes(name));
  const { text } = await describeChanges(shown, (hash) => objects.get(hash), conceals);
  const told = fate || text === "" ? text : `${lead}\n${text}`;
  return { call: step.call, files, text: told };
}
