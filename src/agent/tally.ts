// What a run has used and done so far: the numbers of its budgets and of its result object.
// Invariant: only ever added to; derived figures (net file changes, spent) are computed on demand.

import type { RunCounts } from "../core/event.js";
import { addUsage, noUsage, type Usage } from "../core/message.js";
import { costOf, type Prices } from "../core/model.js";
import type { FileChange } from "../core/plan.js";
import type { CacheBreak, Denial } from "../core/result.js";
import { type Beside, type Spending, sum } from "./beside.js";
import type { Spent } from "./budget.js";
import { type By, NetChanges } from "./net-changes.js";

export class Tally {
  usage: Usage = noUsage;
  modelCalls = 0;
  toolCalls = 0;
  retries = 0;
  readonly breaks: CacheBreak[] = [];
  /** Files whose text was cut and has not been gone on with since, by path: as the model calls them. */
  readonly cutFiles = new Map<string, string>();
  /** An estimate of what providers did not report; in no figure that is shown. */
  #unreported: Spending = { usage: noUsage, cost: 0 };
  readonly #denials: Denial[] = [];
  #unanswered: string | null = null;
  readonly #changes = new NetChanges();
  #coverage: "full" | "partial" = "full";
  /** Added up reply by reply, because another model may have answered. Null = a price was unknown. */
  #cost: number | null = 0;
  readonly #prices: () => Prices | undefined;
  readonly #elapsed: () => number;
  readonly #beside: Beside | undefined;
  #others: Spending = { usage: noUsage, cost: 0 };

  /**
   * `prices`: of the model that is asked now. `elapsed`: milliseconds since the run began. `beside`: what other agents
   * use for it.
   */
  constructor(prices: () => Prices | undefined, elapsed: () => number, beside?: Beside) {
    this.#prices = prices;
    this.#elapsed = elapsed;
    this.#beside = beside;
  }

  /** What other agents have used and changed for this run by now. */
  #counted(): Spending {
    const taken = this.#beside?.take();
    if (!taken) return this.#others;
    const { spending, files, denials, unanswered, isPartial } = taken;
    this.#others = sum(this.#others, spending);
    this.#denials.push(...denials);
    if (unanswered !== undefined) this.#unanswered = unanswered;
    if (isPartial) this.#coverage = "partial";
    for (const { change, by } of files) this.#take(change, by);
    return this.#others;
  }

  /** Without a price there is no cost, also before the first reply. */
  get #own(): Spending {
    return { usage: this.usage, cost: this.usage === noUsage ? costOf(noUsage, this.#prices()) : this.#cost };
  }

  /** Its own and that of the agents that worked for it. */
  get total(): Spending {
    const { usage, cost } = sum(this.#own, this.#counted());
    return { usage, cost: inDollars(cost) };
  }

  /** `estimate`: tokens sent and received, for a provider that does not say; budgets hold all the same. */
  reply(usage: Usage, estimate?: () => { input: number; output: number }): number | null {
    const prices = this.#prices();
    const cost = costOf(usage, prices);
    this.usage = addUsage(this.usage, usage);
    this.#cost = this.#cost === null || cost === null ? null : this.#cost + cost;
    const silent = usage.input + usage.cacheRead + usage.cacheWrite === 0;
    if (estimate && (silent || usage.output === 0)) {
      const { input, output } = estimate();
      const missing = { ...noUsage, input: silent ? input : 0, output: usage.output === 0 ? output : 0 };
      this.#unreported = sum(this.#unreported, { usage: missing, cost: costOf(missing, prices) });
    }
    this.#beside?.spent({ usage, cost });
    return cost;
  }

  get cost(): number | null {
    return this.total.cost;
  }

  /** Its own and those of the agents that worked for it. */
  get denials(): Denial[] {
    this.#counted();
    return this.#denials;
  }

  denied(denial: Denial): void {
    this.denials.push(denial);
    this.#beside?.denied(denial);
  }

  /**
   * The flags that would have allowed a call which was denied because nobody could answer; null when an effectful call has
   * succeeded after it, here or in an agent that worked for it (SPEC 1.19).
   */
  get unanswered(): string | null {
    this.#counted();
    return this.#unanswered;
  }

  set unanswered(flag: string | null) {
    // What agents said before this is older.
    this.#counted();
    this.#unanswered = flag;
    this.#beside?.unanswered(flag);
  }

  /** Goes down once and stays there, here and for those it works for. */
  get coverage(): "full" | "partial" {
    this.#counted();
    return this.#coverage;
  }

  partial(): void {
    this.#coverage = "partial";
    this.#beside?.partial();
  }

  /** `byCommand`: a look after a command has found it. */
  changed(change: FileChange, byCommand = false): void {
    // What agents changed before this is older.
    this.#counted();
    const by = { agent: this.#agent, byCommand };
    this.#take(change, by);
    this.#beside?.changed(change, by);
  }

  #take(change: FileChange, by: By): void {
    this.cutFiles.delete(change.path);
    this.#changes.add(change, by);
  }

  get #agent(): string {
    return this.#beside?.agent ?? "main";
  }

  /** Names the state of the project as far as this run has changed it; the same again when a change is taken back. */
  get revision(): string {
    this.#counted();
    return this.#changes.revision;
  }

  /** Holds what agents beside each other have changed against the disk. `hashOf`: undefined when nobody can tell. */
  async settle(hashOf: (path: string) => Promise<string | null | undefined>): Promise<void> {
    this.#counted();
    for (const path of this.#changes.shared(this.#agent)) {
      const now = await hashOf(path);
      if (now !== undefined) this.#changes.found(path, now);
    }
  }

  /** Files whose content, kind or mode differs from before the run. */
  files(): FileChange[] {
    this.#counted();
    return this.#changes.files(this.#agent);
  }

  spent(): Spent {
    const { usage, cost } = sum(sum(this.#own, this.#unreported), this.#counted());
    const { input, output, cacheRead, cacheWrite } = usage;
    return {
      turns: this.modelCalls,
      calls: this.toolCalls,
      tokens: input + output + cacheRead + cacheWrite,
      cost: inDollars(cost),
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

/** To a billionth of a dollar: sums of prices have no exact binary form. */
function inDollars(cost: number | null): number | null {
  return cost === null ? null : Math.round(cost * 1e9) / 1e9;
}
