// What the agents of a session did to files, for an undo of the session: their steps among its own, in the order of time.
// Invariant: a log of an agent is only read. What it did belongs to the run of the session in which it did it; the undo is
// written to the session's log, so that taking it back is one more undo of the session.

import type { Entry } from "../../core/entry.js";
import { crashedStep } from "../../files/undo/crashed.js";
import { type Action, actionsOf, type Step } from "../../files/undo/history.js";
import type { ObjectStore } from "../../lib/object-store.js";
import { sessionsBelow } from "../../session/store.js";
import { ownGround } from "../place.js";
import type { UndoLog, UndoPlace } from "./undo.js";

interface Ground {
  log: Pick<UndoLog, "id" | "file">;
  root: string;
  objects: ObjectStore;
  /** Of the session's entries, in the order of the file. */
  entries: readonly Entry[];
  read(file: string): Iterable<Entry>;
}

/** Adds to each run of the session what its agents did meanwhile. */
export async function addAgents(at: UndoPlace, actions: readonly Action[], ground: Ground): Promise<void> {
  const runs = actions.filter(({ kind }) => kind === "run");
  const grown = new Set<Action>();
  for (const step of await stepsOfAgents(at, ground)) {
    const known = ground.entries.findLast(({ time }) => time <= step.time)?.seq ?? 0;
    const run = runs.findLast(({ seq }) => seq <= known) ?? runs[0];
    if (!run) continue;
    run.steps.push({ ...step, seq: known });
    grown.add(run);
  }
  for (const { steps } of grown) steps.sort((a, b) => a.time - b.time);
}

async function stepsOfAgents(at: UndoPlace, { log, root, objects, read }: Ground): Promise<Step[]> {
  const { disk, clock, state } = at;
  const steps: Step[] = [];
  for (const info of sessionsBelow(disk, log)) {
    // One that worked in a copy of the project changed nothing here.
    if (info.root !== root || info.problem !== null) continue;
    const entries = [...read(info.file)];
    const crashed = await crashedStep(entries, { disk, root, skip: ownGround({ state, root }), objects, clock });
    const own = [...actionsOf(entries).flatMap((action) => action.steps), ...(crashed ? [crashed] : [])];
    steps.push(...own.map((step) => ({ ...step, agent: info.task?.id ?? step.agent })));
  }
  return steps.filter(({ changes, uncovered }) => changes.length + uncovered.length > 0);
}
