// What the agents of a session use while a build goes on: counted as they go, so that a limit ends the build at the next step
// and not at the end of an agent.
// Invariant: a limit is overshot by the requests that are under way when it is reached; where the price of a reply is unknown no
// limit can be kept, and that ends the build as well.

import { addUsage, noUsage, type Usage } from "../core/message.js";
import type { Event, Session } from "../index.js";

/** Sums of money are added in another order elsewhere. */
const grain = 1e-9;

export class Meter {
  /** Requests to a model. */
  requests = 0;
  usage: Usage = noUsage;
  /** US dollars; null = unknown. */
  cost: number | null = 0;
  readonly #limit: number | undefined;
  readonly #over = new AbortController();
  readonly #events: AsyncIterator<Event>;

  /** `limit`: US dollars from here on. */
  constructor(session: Pick<Session, "events">, limit?: number) {
    this.#limit = limit;
    this.#events = session.events()[Symbol.asyncIterator]();
    void this.#follow();
  }

  /** Aborted when the limit is reached. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  async #follow(): Promise<void> {
    for (let next = await this.#events.next(); !next.done; next = await this.#events.next()) this.#take(next.value);
  }

  #take(event: Event): void {
    // What is said to the session itself is no part of a build.
    if (event.type !== "turn.end" || event.agent === "main") return;
    const { usage, cost } = event;
    this.requests++;
    this.usage = addUsage(this.usage, usage);
    this.cost = this.cost === null || cost === null ? null : this.cost + cost;
    if (this.#limit !== undefined && (this.cost === null || this.cost >= this.#limit - grain)) this.#over.abort();
  }

  /** Why the limit ended the build; null: it did not. */
  get why(): string | null {
    if (!this.#over.signal.aborted) return null;
    if (this.cost === null) return "What a reply costs is not known, so no limit on it can be kept.";
    return `The limit is reached: $${this.cost.toFixed(4)} were spent here, of $${this.#limit} that were left.`;
  }

  close(): void {
    void this.#events.return?.();
  }
}
