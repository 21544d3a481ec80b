// Whose a change is, among tasks of a build that may have worked side by side. A file tool keeps to what others own; a program
// does not, and what is found after a command may be the doing of whoever worked beside it.
// Invariants: a change stands with the task that made it, with its owner, or as `unsure`; it never stands with somebody only
// because a command of his was running. What a program changed of somebody else's is said.

import { join, normalize } from "node:path/posix";
import type { FileChange } from "../core/plan.js";
import { sha256 } from "../lib/hash.js";
import { ownedBy } from "../lib/ownership.js";
import type { Ground } from "./completeness.js";
import type { PlanTask } from "./plan.js";
import { type BuildState, type Conflict, changedBy } from "./state.js";
import { dependencies } from "./waves.js";

/** All that a task changed, as far as that is known. `unsure`: it, or a task beside it. */
export function attributed(state: BuildState, id: string): FileChange[] {
  const others = beside(state, id);
  const owner = ownerOf(state, id, others);
  return changedBy(state, id).flatMap(({ byCommand, ...change }) => {
    const { path } = change;
    const conflict = state.conflicts.find((each) => each.task === id && each.path === path);
    if (conflict) return [conflict.known ? change : { ...change, unsure: true as const }];
    if (!byCommand || owner.isOwn(path)) return [change];
    const also = others.flatMap((other) => changedBy(state, other.id).filter((each) => each.path === path));
    // By a file tool, so certainly; or its owner's, in whose list it stands.
    if (also.some((each) => !each.byCommand && each.after === change.after)) return [];
    const owning = owner.of(path);
    if (owning && changedBy(state, owning).some((each) => each.path === path)) return [];
    return [owning || also.length > 0 ? { ...change, unsure: true as const } : change];
  });
}

/** What programs of a task changed of tasks beside it, and theirs of it, that was not known before; looked at when it has ended. */
export function conflictsOf(state: BuildState, id: string, ground: Ground): Conflict[] {
  const others = beside(state, id).filter((other) => hasEnded(state, other.id));
  const pairs = others.flatMap((other) => [[id, other.id] as const, [other.id, id] as const]);
  return pairs.flatMap(([task, of]) => {
    const owner = ownerOf(state, task, beside(state, task));
    const found = changedBy(state, task).flatMap((change): Conflict[] => {
      const { path } = change;
      if (!change.byCommand || owner.of(path) !== of) return [];
      if (state.conflicts.some((each) => each.task === task && each.path === path)) return [];
      const known = isKnown(
        change,
        changedBy(state, of).find((each) => each.path === path),
        ground,
      );
      return known === null ? [] : [{ path, task, of, known }];
    });
    return found;
  });
}

export function conflictLine({ path, task, of, known }: Conflict): string {
  const who = known ? `by a command of ${task}` : `while commands of ${task} and ${of} ran, by whom is not known`;
  return `CONFLICT: ${path}, which belongs to ${of}, was changed ${who}.`;
}

/** True: it was this task; false: it or the owner; null: it was the owner. */
function isKnown(change: FileChange, owners: FileChange | undefined, ground: Ground): boolean | null {
  if (!owners) return true;
  if (owners.after === change.after) return owners.byCommand ? false : null;
  return hashNow(ground, change.path) === change.after ? true : null;
}

function hashNow({ root, disk }: Ground, path: string): string | null {
  const file = join(root, path);
  return disk.lstatSync(file, { throwIfNoEntry: false })?.isFile() ? sha256(disk.readFileSync(file)) : null;
}

function hasEnded({ tasks }: BuildState, id: string): boolean {
  return (tasks[id]?.status ?? "todo") !== "todo";
}

/** Neither waits for the other. */
function beside({ plan, formation }: BuildState, id: string): PlanTask[] {
  const needs = dependencies(plan.tasks, formation);
  const waits = (one: string, other: string): boolean =>
    (needs.get(one) ?? []).some((each) => each === other || waits(each, other));
  return plan.tasks.filter((other) => other.id !== id && !waits(id, other.id) && !waits(other.id, id));
}

function ownerOf({ plan, formation }: BuildState, id: string, others: readonly PlanTask[]) {
  const owns = ({ role, files }: PlanTask, path: string) =>
    files.some((file) => normalize(file) === path) ||
    ownedBy(formation.roles.find(({ name }) => name === role)?.owns ?? [])(path);
  const self = plan.tasks.find((task) => task.id === id);
  const isOwn = (path: string) => self !== undefined && owns(self, path);
  const of = (path: string) => (isOwn(path) ? undefined : others.find((other) => owns(other, path))?.id);
  return { isOwn, of };
}
