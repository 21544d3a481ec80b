// Which calls of a session and its agents are under way, so that a pause falls between calls and not into one.

import type { Session } from "../index.js";

export class OpenCalls {
  readonly #open = new Set<string>();
  #changed: () => void = () => {};

  constructor(session: Session) {
    void this.#follow(session);
  }

  async #follow(session: Session): Promise<void> {
    for await (const event of session.events()) {
      if (event.type === "call.start") this.#open.add(`${event.agent} ${event.call}`);
      else if (event.type === "call.end") this.#open.delete(`${event.agent} ${event.call}`);
      if (this.#open.size === 0) this.#changed();
    }
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
}
