// A list to choose from: for completions, pickers and questions. State and drawing; what a choice means is the caller's.

import { cut, type Line, type Span, span, wrap } from "./span.js";

export interface Item {
  label: string;
  doc?: string;
}

export class List<Of extends Item> {
  readonly items: readonly Of[];
  #at = 0;

  constructor(items: readonly Of[], at = 0) {
    this.items = items;
    this.#at = Math.max(0, Math.min(at, items.length - 1));
  }

  get chosen(): Of | undefined {
    return this.items[this.#at];
  }

  get index(): number {
    return this.#at;
  }

  /** Goes round at both ends. */
  move(by: number): void {
    if (this.items.length === 0) return;
    this.#at = (this.#at + by + this.items.length * 1000) % this.items.length;
  }

  page(by: number): void {
    this.#at = Math.max(0, Math.min(this.items.length - 1, this.#at + by));
  }

  /** All of them with nothing cut; side by side (`beside`) they take the fewest rows. */
  whole(width: number, beside = false): Line[] {
    const named = this.items.map(({ label }, at): Line => {
      const marked = at === this.#at;
      return [span(marked ? "❯ " : "  ", "accent"), span(label, marked ? "accent" : "plain")];
    });
    if (beside) return wrap(named.flat(), width);
    return named.flatMap((each) => wrap(each.slice(1), width, { first: each.slice(0, 1), rest: [span("     ")] }));
  }

  /** At most `most` rows around the marked one. */
  lines(width: number, most: number): Line[] {
    const top = Math.max(0, Math.min(this.#at - Math.floor(most / 2), this.items.length - most));
    const shown = this.items.slice(top, top + most);
    const wide = Math.min(Math.max(...shown.map(({ label }) => label.length), 0), Math.floor(width * 0.6));
    return shown.map((item, i) => row(item, top + i === this.#at, wide, width));
  }
}

function row({ label, doc }: Item, marked: boolean, wide: number, width: number): Line {
  const mark: Span = span(marked ? "❯ " : "  ", "accent");
  const name = span(doc ? label.padEnd(wide) : label, marked ? "accent" : "plain");
  const said = doc ? [span("  "), span(doc, "dim")] : [];
  return cut(width > 6 ? [mark, name, ...said] : [name], width);
}
