// Whether an agent is still alive, by the events of its session: one that says nothing for too long is stalled.
// Invariant: waiting is no silence while something bounds it: a call has its own time limit, a question waits for a person,
// a retry says how long it waits, and what its own agents say counts as said.

import type { Event } from "../../core/event.js";

export interface PulseOptions {
  /** Milliseconds of silence that are too long. */
  patience: number;
  mono(): number;
  stalled(): void;
}

export class Pulse {
  readonly #options: PulseOptions;
  readonly #open = new Set<string>();
  #until: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: PulseOptions) {
    this.#options = options;
    this.#until = options.mono() + options.patience;
    this.#watch();
  }

  hear(event: Event): void {
    let pause = 0;
    if (event.type === "call.start") this.#open.add(event.call);
    else if (event.type === "call.end") this.#open.delete(event.call);
    else if (event.type === "approval.ask") this.#open.add(event.id);
    else if (event.type === "approval.end") this.#open.delete(event.id);
    else if (event.type === "turn.retry") pause = event.delay_ms;
    this.#until = this.#options.mono() + pause + this.#options.patience;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #watch(): void {
    const left = this.#until - this.#options.mono();
    if (left <= 0 && this.#open.size === 0) this.#options.stalled();
    else this.#timer = setTimeout(() => this.#watch(), Math.max(left, this.#options.patience / 4));
  }
}
