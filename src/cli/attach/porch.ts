// While a session is open: one look a second whether somebody wants to attach to it, and ten a second while somebody is attached.
// Invariant: nothing of the host is loaded before somebody has come.

import { nodeFs } from "../../lib/fs.js";
import { once } from "../../lib/once.js";
import type { Attachable } from "./door.js";
import type { AttachHost } from "./host.js";
import { meetingPlace } from "./spool.js";

const knockEvery = 1_000;
const lookEvery = 100;

const loadHost = once(() => import("./host.js"));

export class Porch {
  readonly #at: Attachable;
  #host: AttachHost | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(at: Attachable) {
    this.#at = at;
  }

  async look(): Promise<void> {
    const { state, session } = this.#at;
    if (!this.#host && nodeFs.existsSync(meetingPlace(state, session().id))) {
      const { AttachHost } = await loadHost();
      this.#host = new AttachHost(nodeFs, this.#at);
    }
    if (this.#closed) return;
    if (this.#host?.look() === "nobody") this.#host = undefined;
    this.#timer = setTimeout(() => void this.look(), this.#host ? lookEvery : knockEvery).unref();
  }

  /** Whoever is attached is told. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#host?.close("The session was closed.");
  }
}
