// A block of code that is arriving, laid out line by line: what is complete is coloured once.
// Invariant: a line that was stable stays as it is. Lines in an open comment or string wait for its end, up to a limit beyond
// which their colours count less than the time that reading them again and again takes.

import { coloured } from "./highlight.js";
import { indented } from "./markdown.js";
import type { Line } from "./span.js";

/** Characters that wait, at most. */
const most = 4_000;

export class GrowingCode {
  readonly #width: number;
  readonly language: string;
  readonly #lines: Line[] = [];
  /** Characters that are laid out in them. */
  #read = 0;

  constructor(width: number, language: string) {
    this.#width = width;
    this.language = language;
  }

  /** `text` begins with what was given before, whose last line may have changed. */
  layout(text: string): { lines: Line[]; stable: number } {
    const complete = text.lastIndexOf("\n");
    if (complete >= this.#read) {
      const { lines, closed } = coloured(text.slice(this.#read, complete), this.language);
      if (closed || complete - this.#read > most) {
        this.#lines.push(...indented(lines, this.#width));
        this.#read = complete + 1;
      }
    }
    // What looked like a line may have been the beginning of the fence that ends it all.
    const over = text.length < this.#read;
    const rest = over ? [] : indented(coloured(text.slice(this.#read), this.language).lines, this.#width);
    return { lines: [...this.#lines, ...rest], stable: this.#lines.length };
  }
}
