// `cinch why`: which call made a line, from the logs of the project's sessions and the contents they kept.
// Agents are part of the sessions they worked for. Invariant: reads only, takes no lock, so it works beside a running session.

import type { Entry } from "../../core/entry.js";
import { UserError } from "../../core/errors.js";
import { type Origin, originOf } from "../../files/undo/blame.js";
import { type Action, actionsOf, type Step } from "../../files/undo/history.js";
import { lines } from "../../files/undo/merge.js";
import { PresentFiles } from "../../files/undo/present.js";
import { createObjectStore } from "../../lib/object-store.js";
import { resolvePath } from "../../lib/paths.js";
import { agentDir, listSessions, projectKey, sessionDir } from "../../session/store.js";
import { agentsOf, readLog } from "../sessions/family.js";
import type { UndoPlace } from "./undo.js";

export interface Why {
  path: string;
  line: number;
  text: string;
  origin: Origin;
  /** Of the call that made it. */
  session: string | null;
  /** The session that a person talked to, when the call is an agent's. */
  family: string | null;
  action: Action | null;
  approval: Entry<"approval">["data"] | null;
}

interface Known {
  session: string;
  family: string | null;
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
  const known = stepsAt(at, path);
  // File order within a session; between sessions only their clocks say what came first.
  const steps = [...known.keys()].sort((a, b) => a.time - b.time || a.seq - b.seq);
  const objects = createObjectStore(disk, `${state}/checkpoints/objects`);
  const origin = originOf(path, line - 1, bytes, steps, (hash) => present.content(hash) ?? objects.get(hash));
  const of = origin.made === "call" ? known.get(origin.step) : undefined;
  const shown = Buffer.from(text, "latin1")
    .toString()
    .replace(/\r?\n$/, "");
  const { session = null, family = null, action = null, approval = null } = of ?? {};
  return { path, line, text: shown, origin, session, family, action, approval };
}

/** What changed this path in the sessions of the project, those of agents included. */
function stepsAt(at: UndoPlace, path: string): Map<Step, Known> {
  const { disk, state, root } = at;
  const known = new Map<Step, Known>();
  const dir = sessionDir(state, projectKey(root));
  const listed = listSessions(disk, agentDir(dir));
  for (const head of listSessions(disk, dir)) {
    if (head.problem !== null) continue;
    const own = { id: head.id, family: null, agent: null, entries: readLog(at, head.file).entries };
    const agents = agentsOf(at, head, listed).map(({ info, task, read }) => {
      return { id: info.id, family: head.id, agent: task, entries: read().entries };
    });
    for (const { id: session, family, agent, entries } of [own, ...agents]) {
      for (const action of actionsOf(entries)) {
        for (const step of action.steps) {
          if (!step.changes.some((change) => change.path === path)) continue;
          const made = agent === null ? step : { ...step, agent };
          known.set(made, { session, family, action, approval: approvalOf(entries, step.call) });
        }
      }
    }
  }
  return known;
}

function approvalOf(entries: readonly Entry[], call: string): Entry<"approval">["data"] | null {
  const found = entries.findLast((entry) => entry.type === "approval" && entry.data.call === call);
  return found?.type === "approval" ? found.data : null;
}
