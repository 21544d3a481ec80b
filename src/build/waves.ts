// In which order the tasks of a plan are done: as early as what they wait for allows, and never before the roles of the waves
// before theirs. Pure; what a plan is has been checked (plan.ts).
//
//   blocked   something it waits for, directly or not, has failed       ready    all of that is done
//   (neither) something of it is neither done nor failed

import { type Formation, waveOf } from "./formation.js";
import type { PlanTask } from "./plan.js";

export type Progress = "todo" | "running" | "done" | "failed";

export interface Outlook {
  ready: string[];
  /** With the tasks whose failure blocks them. */
  blocked: { id: string; by: string[] }[];
}

/** What each task waits for: what it says, and every task of a wave before its own. */
export function dependencies(tasks: readonly PlanTask[], formation: Formation): ReadonlyMap<string, readonly string[]> {
  const wave = ({ role }: PlanTask) => waveOf(formation, role);
  return new Map(
    tasks.map((task) => {
      const earlier = tasks.filter((other) => wave(other) < wave(task)).map((other) => other.id);
      return [task.id, [...new Set([...task.after, ...earlier])]];
    }),
  );
}

/** Of those that are still to do. */
export function outlook(needs: ReadonlyMap<string, readonly string[]>, progress: (id: string) => Progress): Outlook {
  const found: Outlook = { ready: [], blocked: [] };
  for (const [id, before] of needs) {
    if (progress(id) !== "todo") continue;
    const by = failuresBehind(id, needs, progress);
    if (by.length > 0) found.blocked.push({ id, by });
    else if (before.every((each) => progress(each) === "done")) found.ready.push(id);
  }
  return found;
}

function failuresBehind(
  id: string,
  needs: ReadonlyMap<string, readonly string[]>,
  progress: (id: string) => Progress,
): string[] {
  const seen = new Set<string>();
  const open = [...(needs.get(id) ?? [])];
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    if (seen.has(each)) continue;
    seen.add(each);
    open.push(...(needs.get(each) ?? []));
  }
  return [...seen].filter((each) => progress(each) === "failed").sort();
}

/** The waves as they would run if nothing failed, for people. Circles have been refused with the plan. */
export function asWaves(needs: ReadonlyMap<string, readonly string[]>): string[][] {
  const done = new Set<string>();
  const waves: string[][] = [];
  while (done.size < needs.size) {
    const { ready } = outlook(needs, (id) => (done.has(id) ? "done" : "todo"));
    if (ready.length === 0) return waves;
    waves.push(ready);
    for (const id of ready) done.add(id);
  }
  return waves;
}
