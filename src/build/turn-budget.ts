// How many turns a task of a plan gets: by the files it makes and by what it takes to show that it is done. Pure.
// The same figures are in docs/build.md#turns, for those who write plans.

import type { PlanTask } from "./plan.js";

export interface TurnBudget {
  /** From here on the agent is told to come to an end. */
  soft: number;
  /** Here it is ended, what it read back included. */
  hard: number;
  /** Of these, for reading back what it made when it says it is done; 0 = it makes nothing. */
  readBack: number;
  /** For a stronger model that goes on, and for mending what was found wrong. */
  escalation: number;
}

const ceiling = 40;

export function turnBudget({ files, accept, after }: Pick<PlanTask, "files" | "accept" | "after">): TurnBudget {
  const count = files.length;
  const base = count < 3 ? ([12, 15, 18][count] ?? 18) : Math.min(12 + 4 * count, 30);
  const serves = accept.some((command) => /curl|localhost|https?:|server/i.test(command)) ? 4 : 0;
  const soft = Math.min(base + serves + (after.length > 0 ? 2 : 0), ceiling);
  const hard = Math.min(Math.max(soft + 4, Math.round(1.3 * soft)), ceiling + 4);
  return {
    soft,
    hard,
    readBack: count === 0 ? 0 : Math.min(Math.floor(soft / 4), hard - soft),
    escalation: Math.max(8, Math.floor(soft / 2)),
  };
}
