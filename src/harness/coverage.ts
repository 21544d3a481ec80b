// Whether what commands change in the project can be taken back, as far as the looks around them have shown.
// Invariant: goes from full to partial and not back: what was too much once may be so again.

import type { Witness } from "../agent/ports.js";

export class Coverage implements Witness {
  readonly #witness: Witness;
  #isFull = true;

  constructor(witness: Witness) {
    this.#witness = witness;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  before(call: string): Promise<void> {
    return this.#witness.before(call);
  }

  async after(call: string): Promise<Awaited<ReturnType<Witness["after"]>>> {
    const found = await this.#witness.after(call);
    if (found.coverage === "partial") this.#isFull = false;
    return found;
  }
}
