// What other agents use on behalf of one, change and are denied: it counts for the run that is under way, or else for the next one.
// Invariant: what is added is counted once on each level, from the agent that used it up to the one a person talks to.

import { addUsage, noUsage, type Usage } from "../core/message.js";
import type { FileChange } from "../core/plan.js";
import type { Denial } from "../core/result.js";
import type { BudgetNotice } from "./budget.js";
import type { By } from "./net-changes.js";

export interface Spending {
  usage: Usage;
  /** US dollars; null = unknown. */
  cost: number | null;
}

/** What was added since it was last taken. */
export interface Taken {
  spending: Spending;
  /** In the order in which they were made. */
  files: { change: FileChange; by: By }[];
  /** What some of them may have changed could not be kept. */
  isPartial: boolean;
  denials: Denial[];
  /** Newest news of whether somebody was missing (`Tally.unanswered`); undefined: none. */
  unanswered: string | null | undefined;
}

export class Beside {
  /** Id of its task, or `main`. */
  readonly agent: string;
  readonly #above: Beside | undefined;
  /** The same as long as it works on the same files. */
  readonly #ground: Beside | undefined;
  #waiting: Spending = { usage: noUsage, cost: 0 };
  #files: Taken["files"] = [];
  #isPartial = false;
  #denials: Denial[] = [];
  #unanswered: string | null | undefined;
  #over: () => BudgetNotice | null = () => null;

  /** `above`: of the agent for which this one works. `apart`: it works on a copy of the project. */
  constructor(agent: string, above?: Beside, apart = false) {
    this.agent = agent;
    this.#above = above;
    this.#ground = apart ? undefined : above;
  }

  /** This agent has used it itself, and counts it itself. */
  spent(spending: Spending): void {
    this.#above?.add(spending);
  }

  add(spending: Spending): void {
    this.#waiting = sum(this.#waiting, spending);
    this.#above?.add(spending);
  }

  /** This agent, or one that works for it, has changed this file, and counts it itself. */
  changed(change: FileChange, by: By): void {
    for (let above = this.#ground; above; above = above.#ground) above.#files.push({ change, by });
  }

  /** The same of what could not be kept. */
  partial(): void {
    for (let above = this.#ground; above; above = above.#ground) above.#isPartial = true;
  }

  /** This agent was denied a call, and counts it itself. */
  denied(denial: Denial): void {
    for (let above = this.#above; above; above = above.#above) above.#denials.push(denial);
  }

  /** The same of whether somebody was missing for this agent, and no effect has followed (SPEC 1.19). */
  unanswered(flag: string | null): void {
    for (let above = this.#above; above; above = above.#above) above.#unanswered = flag;
  }

  take(): Taken {
    const taken = {
      ...{ spending: this.#waiting, files: this.#files },
      ...{ denials: this.#denials, unanswered: this.#unanswered, isPartial: this.#isPartial },
    };
    this.#waiting = { usage: noUsage, cost: 0 };
    this.#files = [];
    this.#isPartial = false;
    this.#denials = [];
    this.#unanswered = undefined;
    return taken;
  }

  /** A run begins: `over` says which of its budgets is used up, what is added here included. It stands until the next run. */
  watch(over: () => BudgetNotice | null): void {
    this.#over = over;
  }

  /** A budget of an agent above this one that is used up. */
  overAbove(): BudgetNotice | null {
    const above = this.#above;
    return above ? (above.#over() ?? above.overAbove()) : null;
  }
}

export function sum(a: Spending, b: Spending): Spending {
  return { usage: addUsage(a.usage, b.usage), cost: a.cost === null || b.cost === null ? null : a.cost + b.cost };
}
