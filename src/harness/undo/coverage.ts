// Whether what commands change in the project can be taken back, as far as the looks around them have shown.
// Invariant: goes from full to partial and not back: what was too much once may be so again. While a command runs in the
// background, what changes between two looks may be its doing and is nobody's call, so then it is partial.

import type { Witness } from "../../agent/ports.js";

export class Coverage implements Witness {
  readonly #witness: Witness;
  readonly #goesOn: () => boolean;
  #isFull = true;

  /** `goesOn`: does a command run in the background? */
  constructor(witness: Witness, goesOn: () => boolean) {
    this.#witness = witness;
    this.#goesOn = goesOn;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  begin(): void {
    this.#witness.begin();
  }

  before(call: string, signal?: AbortSignal): Promise<void> {
    return this.#witness.before(call, signal);
  }

  atRisk(paths: readonly string[], signal?: AbortSignal): Promise<string> {
    return this.#witness.atRisk(paths, signal);
  }

  async after(call: string): Promise<Awaited<ReturnType<Witness["after"]>>> {
    const found = await this.#witness.after(call);
    if (found.coverage === "full" && !this.#goesOn()) return found;
    this.#isFull = false;
    return { ...found, coverage: "partial" };
  }
}
