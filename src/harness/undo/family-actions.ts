// What a session and its agents did to files: the session's own actions, with the steps of agents among them in the order of time.
// Invariant: a log of an agent is only read. What it did belongs to the run, or the work, of the session in which it did it; an
// undo is written to the session's log, so that taking it back is one more undo of the session.

import { join } from "node:path";
import type { Entry } from "../../core/entry.js";
import { crashedStep } from "../../files/undo/crashed.js";
import { type Action, actionAt, actionsOf, type Step } from "../../files/undo/history.js";
import { createObjectStore, type ObjectStore } from "../../lib/object-store.js";
import { ownGround } from "../place.js";
import { type AgentMember, agentsOf, type Head, readLog } from "../sessions/family.js";
import type { UndoPlace } from "./undo.js";

export interface FamilyActions {
  actions: Action[];
  /** Of the session itself, in the order of the file. */
  entries: readonly Entry[];
  /** What the session itself was doing when it was killed. */
  crashed: Step | null;
  objects: ObjectStore;
}

/** `root`: of the session. An agent that worked in a copy of the project changed nothing there. */
export async function familyActions(at: UndoPlace, head: Head, root: string): Promise<FamilyActions> {
  const { disk, clock, state } = at;
  const objects = createObjectStore(disk, join(state, "checkpoints", "objects"));
  const ground = { disk, root, skip: ownGround({ state, root }), objects, clock };
  const entries = readLog(at, head.file).entries;
  const actions = actionsOf(entries);
  const crashed = await crashedStep(entries, ground);
  if (crashed && !isEmpty(crashed)) actions.at(-1)?.steps.push(crashed);
  for (const agent of agentsOf(at, head)) {
    if (agent.info.root !== root) continue;
    const killed = await crashedStep(agent.read().entries, ground);
    addSteps([...stepsOf(agent), ...(killed ? [{ ...killed, agent: agent.task }] : [])], { actions, entries });
  }
  for (const { steps } of actions) steps.sort((a, b) => a.time - b.time || a.seq - b.seq);
  return { actions, entries, crashed, objects };
}

const isEmpty = ({ changes, uncovered }: Step) => changes.length + uncovered.length === 0;

/** What an agent did, by calls. */
function stepsOf({ task, read }: AgentMember): Step[] {
  return actionsOf(read().entries).flatMap(({ steps }) => steps.map((step) => ({ ...step, agent: task })));
}

/** Each step to the run or work of the session that was under way, or newest, at its time. */
function addSteps(
  steps: readonly Step[],
  { actions, entries }: { actions: Action[]; entries: readonly Entry[] },
): void {
  for (const step of steps) {
    if (isEmpty(step)) continue;
    const known = entries.findLast(({ time }) => time <= step.time)?.seq ?? 0;
    const begun = actions.filter(({ kind }) => kind !== "undo");
    const action = begun.findLast(({ seq }) => seq <= known) ?? begun[0] ?? firstWork(actions, entries);
    action?.steps.push({ ...step, seq: known });
  }
}

/** The program gave tasks before anybody said anything. */
function firstWork(actions: Action[], [header]: readonly Entry[]): Action | undefined {
  const work = header && actionAt(header, "work", "the work of its agents");
  if (work) actions.unshift(work);
  return work;
}
