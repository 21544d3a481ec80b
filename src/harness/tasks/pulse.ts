// Whether an agent is still alive, by the events of its session: one that says nothing for too long is stalled.
// Invariant: waiting is no silence while something bounds it: a call has its own time limit, a question waits for a person,
// a retry says how long it waits, and what its own agents say counts as said.

import type { Event } from "../../core/event.js";
import { RunningTimer } from "../../lib/running-timer.js";

export interface PulseOptions {
  /** Milliseconds of silence that are too long. */
  patience: number;
  stalled(): void;
}

export class Pulse {
  readonly #options: PulseOptions;
  readonly #open = new Set<string>();
  /** What a retry waits for, in addition. */
  #pause = 0;
  #timer: RunningTimer;

  constructor(options: PulseOptions) {
    this.#options = options;
    this.#timer = this.#watch();
  }

  hear(event: Event): void {
    let pause = 0;
    if (event.type === "call.start") this.#open.add(event.call);
    else if (event.type === "call.end") this.#open.delete(event.call);
    else if (event.type === "approval.ask") this.#open.add(event.id);
    else if (event.type === "approval.end") this.#open.delete(event.id);
    else if (event.type === "turn.retry") pause = event.delay_ms;
    if (pause === this.#pause) {
      this.#timer.refresh();
      return;
    }
    this.#pause = pause;
    this.#timer.end();
    this.#timer = this.#watch();
  }

  stop(): void {
    this.#timer.end();
  }

  #watch(): RunningTimer {
    return new RunningTimer(this.#options.patience + this.#pause, () => {
      if (this.#open.size === 0) this.#options.stalled();
      else this.#timer = this.#watch();
    });
  }
}
