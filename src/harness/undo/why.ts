// `cinch why`: which call made a line, from the logs of the project's sessions and the contents they kept.
// Invariant: reads only, takes no lock, so it works beside a running session.

import type { Entry } from "../../core/entry.js";
import { UserError } from "../../core/errors.js";
import { type Origin, originOf } from "../../files/undo/blame.js";
import { type Action, actionsOf, type Step } from "../../files/undo/history.js";
import { lines } from "../../files/undo/merge.js";
import { PresentFiles } from "../../files/undo/present.js";
import { createObjectStore } from "../../lib/object-store.js";
import { resolvePath } from "../../lib/paths.js";
import { listSessions, projectKey, sessionDir } from "../../session/store.js";
import { entriesOf, type UndoPlace } from "./undo.js";

export interface Why {
  path: string;
  line: number;
  text: string;
  origin: Origin;
  /** Of the call that made it. */
  session: string | null;
  action: Action | null;
  approval: Entry<"approval">["data"] | null;
}

interface Known {
  session: string;
  action: Action;
  approval: Entry<"approval">["data"] | null;
}

/** `line` from 1. @throws UserError (exit 2) when there is no such line */
export async function why(at: UndoPlace, file: string, line: number): Promise<Why> {
  const { disk, cwd, state } = at;
  const { path } = resolvePath(disk, cwd, file);
  const present = new PresentFiles(disk);
  await present.look([path]);
  const now = present.at(path);
  const bytes = now && typeof now === "object" ? present.content(now.hash) : undefined;
  if (!bytes)
    throw new UserError(
      `${file} is not a file that can be read.`,
      "Name a file that is there, and a line: <file>:<line>.",
    );
  const text = lines(bytes)[line - 1];
  if (text === undefined) throw new UserError(`${file} has ${lines(bytes).length} lines, not ${line}.`);
  const steps: Step[] = [];
  const known = new Map<Step, Known>();
  for (const { id, file: log, problem } of listSessions(disk, sessionDir(state, projectKey(at.root)))) {
    if (problem !== null) continue;
    const entries = [...entriesOf(at, log)];
    for (const action of actionsOf(entries)) {
      for (const step of action.steps) {
        if (!step.changes.some((change) => change.path === path)) continue;
        steps.push(step);
        known.set(step, { session: id, action, approval: approvalOf(entries, step.call) });
      }
    }
  }
  // File order within a session; between sessions only their clocks say what came first.
  steps.sort((a, b) => a.time - b.time || a.seq - b.seq);
  const objects = createObjectStore(disk, `${state}/checkpoints/objects`);
  const origin = originOf(path, line - 1, bytes, steps, (hash) => present.content(hash) ?? objects.get(hash));
  const of = origin.made === "call" ? known.get(origin.step) : undefined;
  const shown = Buffer.from(text, "latin1")
    .toString()
    .replace(/\r?\n$/, "");
  const { session = null, action = null, approval = null } = of ?? {};
  return { path, line, text: shown, origin, session, action, approval };
}

function approvalOf(entries: readonly Entry[], call: string): Entry<"approval">["data"] | null {
  const found = entries.findLast((entry) => entry.type === "approval" && entry.data.call === call);
  return found?.type === "approval" ? found.data : null;
}
