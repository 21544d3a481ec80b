// What a run has used and done so far: the numbers of its budgets and of its result object.
// Invariant: only ever added to; derived figures (net file changes, spent) are computed on demand.

import type { RunCounts } from "../core/event.js";
import { addUsage, noUsage, type Usage } from "../core/message.js";
import { costOf, type Prices } from "../core/model.js";
import type { FileChange } from "../core/plan.js";
import type { Denial } from "../core/result.js";
import type { Spent } from "./budget.js";

export class Tally {
  usage: Usage = noUsage;
  modelCalls = 0;
  toolCalls = 0;
  retries = 0;
  readonly denials: Denial[] = [];
  /** Set when a call was denied for want of an answer, cleared when an effectful call succeeds after it (SPEC 1.19). */
  deniedUnanswered = false;
  readonly #changes = new Map<string, FileChange>();
  readonly #prices: Prices | undefined;
  readonly #elapsed: () => number;

  /** `elapsed`: milliseconds since the run began. */
  constructor(prices: Prices | undefined, elapsed: () => number) {
    this.#prices = prices;
    this.#elapsed = elapsed;
  }

  reply(usage: Usage): number | null {
    this.usage = addUsage(this.usage, usage);
    return costOf(usage, this.#prices);
  }

  get cost(): number | null {
    return costOf(this.usage, this.#prices);
  }

  changed(change: FileChange): void {
    if (change.before === change.after) return;
    const first = this.#changes.get(change.path);
    this.#changes.set(change.path, { ...change, before: first ? first.before : change.before });
  }

  /** Files whose content differs from before the run. */
  files(): FileChange[] {
    return [...this.#changes.values()].filter((change) => change.before !== change.after);
  }

  spent(): Spent {
    const { input, output, cacheRead, cacheWrite } = this.usage;
    return {
      turns: this.modelCalls,
      calls: this.toolCalls,
      tokens: input + output + cacheRead + cacheWrite,
      cost: this.cost,
      time: this.#elapsed() / 1000,
      output,
    };
  }

  counts(hookRetries: number, queuedSteers: number): RunCounts {
    return {
      model_calls: this.modelCalls,
      tool_calls: this.toolCalls,
      retries: this.retries,
      hook_retries: hookRetries,
      queued_steers: queuedSteers,
    };
  }
}
