// Which calls of a session and its agents are under way, so that a pause falls between calls and not into one.

import type { Event, Session } from "../index.js";

export class OpenCalls {
  readonly #open = new Set<string>();
  readonly #events: AsyncIterator<Event>;
  #changed: () => void = () => {};

  constructor(session: Pick<Session, "events">) {
    this.#events = session.events()[Symbol.asyncIterator]();
    void this.#follow();
  }

  async #follow(): Promise<void> {
    for (let next = await this.#events.next(); !next.done; next = await this.#events.next()) this.#take(next.value);
  }

  #take(event: Event): void {
    if (event.type === "call.start") this.#open.add(`${event.agent} ${event.call}`);
    else if (event.type === "call.end") this.#open.delete(`${event.agent} ${event.call}`);
    if (this.#open.size === 0) this.#changed();
  }

  /** Resolves when none is, or the time is up. */
  async quiet(ms: number): Promise<void> {
    if (this.#open.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#changed = resolve;
      timer = setTimeout(resolve, ms);
    });
    clearTimeout(timer);
  }

  close(): void {
    void this.#events.return?.();
  }
}
