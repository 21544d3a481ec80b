// Steering: what the user says while the agent works. FIFO with ids; nothing said is lost silently.
// `now` goes into the very next request, `queue` becomes a follow-up after the run (SPEC 1.29).

import type { Emit, SteerMode } from "../core/event.js";
import type { Ids } from "../core/ids.js";

export interface Steer {
  id: string;
  mode: SteerMode;
  text: string;
}

export class Inbox {
  #waiting: Steer[] = [];
  readonly #emit: Emit;
  readonly #ids: Ids;

  constructor(emit: Emit, ids: Ids) {
    this.#emit = emit;
    this.#ids = ids;
  }

  get size(): number {
    return this.#waiting.length;
  }

  /** Returns the id; blank text is refused. */
  add(text: string, mode: SteerMode): string {
    if (text.trim() === "") throw new Error("a steering message needs text");
    const steer = { id: this.#ids.next(), mode, text };
    this.#waiting.push(steer);
    this.#emit({ type: "steer.queued", id: steer.id, mode });
    return steer.id;
  }

  /** Everything said with `now`, oldest first. */
  takeNow(): Steer[] {
    const now = this.#waiting.filter((steer) => steer.mode === "now");
    this.#waiting = this.#waiting.filter((steer) => steer.mode !== "now");
    return now;
  }

  /** The oldest one, whatever its mode: after a run has settled there is no difference left. */
  takeNext(): Steer | undefined {
    return this.#waiting.shift();
  }

  /** Empties the inbox at the end of a run that will not deliver the rest. */
  drop(): Steer[] {
    const dropped = this.#waiting;
    this.#waiting = [];
    for (const steer of dropped) this.#emit({ type: "steer.dropped", id: steer.id });
    return dropped;
  }
}
