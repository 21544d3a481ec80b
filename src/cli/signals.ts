// SIGINT, SIGTERM and SIGHUP as an orderly stop (CONTRACT §2: 130, 143, 129).
// Invariant: the first signal asks the run to end and everything to be put away; a second one, or ten seconds in
// which that did not happen, ends the process at once with the same code.

import { isatty } from "node:tty";
import { nodeFs } from "../lib/fs.js";

const codes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
const patience = 10_000;

export class Signals {
  #code: number | undefined;
  #stop: (() => void) | undefined;

  constructor() {
    const terminals = [0, 1, 2].filter(isatty);
    process.on("exit", () => letGo(terminals));
    for (const [name, code] of Object.entries(codes)) process.on(name, () => this.#take(code));
  }

  /** The exit code of the signal that came, if one came. */
  get code(): number | undefined {
    return this.#code;
  }

  /** Until this is called a signal ends the process directly: there is nothing yet to put away. */
  onStop(stop: () => void): void {
    this.#stop = stop;
    if (this.#code !== undefined) stop();
  }

  #take(code: number): void {
    if (this.#code !== undefined || !this.#stop) process.exit(this.#code ?? code);
    this.#code = code;
    setTimeout(() => process.exit(code), patience).unref();
    this.#stop();
  }
}

/** At its end node puts back the modes of its terminals, and aborts when it cannot: one whose window was closed is given up before. */
function letGo(terminals: readonly number[]): void {
  for (const fd of terminals) if (!isatty(fd)) nodeFs.closeSync(fd);
}
