// What a person should know beside the answer, on stderr. A terminal gets each line at once; a log gets them at the end,
// because the first line of stderr belongs to the reason of exit 7 (CONTRACT §2), which is known only then.

import { safeText } from "../lib/safe-text.js";
import { writeErr } from "./stdio.js";

export class Notes {
  readonly #live: boolean;
  readonly #clear: () => void;
  #held: string[] = [];

  /** `live`: print at once. `clear` is called before anything is printed, to take away a progress line. */
  constructor(live: boolean, clear: () => void) {
    this.#live = live;
    this.#clear = clear;
  }

  add(text: string): void {
    this.#held.push(text);
    if (this.#live) this.flush();
  }

  /** Before everything that is still held. */
  addFirst(text: string): void {
    this.#held.unshift(text);
    if (this.#live) this.flush();
  }

  flush(): void {
    const lines = this.#held;
    this.#held = [];
    if (lines.length === 0) return;
    this.#clear();
    writeErr(safeText(`${lines.join("\n")}\n`));
  }
}
