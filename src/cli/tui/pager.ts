// The whole conversation with everything opened, in the terminal's other screen: the scrollback below it stays as it is.
// Follows what is said meanwhile as long as its end is in sight.

import { terminalCodes as codes, type SafeText, together } from "../../lib/safe-text.js";
import type { Block } from "./block.js";
import { apart, blockLines } from "./blocks/index.js";
import type { Key } from "./keyboard.js";
import type { Keymap } from "./keys.js";
import { cut, type Line, line } from "./span.js";
import { inked, type Theme } from "./theme.js";
import type { Size } from "./tty.js";

export interface PagerParts {
  write(text: SafeText): void;
  theme: Theme;
  now(): number;
  close(): void;
}

export class Pager {
  readonly #parts: PagerParts;
  /** First row shown; null = the end. */
  #top: number | null = null;
  #open = true;
  #rows = 1;
  #all = 0;
  #drawn = "";

  constructor(parts: PagerParts) {
    this.#parts = parts;
    parts.write(together(codes.otherScreen, codes.hideCursor));
  }

  leave(): void {
    this.#parts.write(together(codes.ownScreen, codes.showCursor));
  }

  key({ name }: Key, keymap: Keymap): void {
    const top = this.#top ?? this.#last();
    switch (keymap.find(name, "list", "anywhere")) {
      case "cancel":
      case "interrupt":
        this.#parts.close();
        return;
      case "next":
        this.#to(top + 1);
        return;
      case "previous":
        this.#to(top - 1);
        return;
      case "pageDown":
        this.#to(top + this.#rows);
        return;
      case "pageUp":
        this.#to(top - this.#rows);
        return;
      case "top":
        this.#to(0);
        return;
      case "bottom":
        this.#to(this.#last());
        return;
      case "fold":
        this.#open = !this.#open;
        return;
      default:
        name === "q" ? this.#parts.close() : undefined;
        return;
    }
  }

  draw({ columns, rows }: Size, blocks: readonly Block[]): void {
    const drawing = {
      width: columns,
      calls: "line" as const,
      open: this.#open,
      now: this.#parts.now(),
      pictures: null,
    };
    const lines = blocks.flatMap((block, at): Line[] => {
      const gap: Line[] = apart(blocks[at - 1], block) ? [[]] : [];
      return [...gap, ...blockLines(block, drawing)];
    });
    this.#rows = Math.max(1, rows - 1);
    this.#all = lines.length;
    const top = Math.min(this.#top ?? this.#last(), this.#last());
    const shown = lines.slice(top, top + this.#rows);
    const hint = `${top + shown.length} of ${lines.length} rows · arrows and pages move, Ctrl+O folds, Escape comes back`;
    const page = [...shown, ...Array<Line>(this.#rows - shown.length).fill([]), cut(line(hint, "selected"), columns)];
    const text = together(
      ...page.flatMap((each, at) => [
        codes.clearLine,
        inked(each, this.#parts.theme),
        at < page.length - 1 ? codes.newLine : ("" as SafeText),
      ]),
    );
    if (text === this.#drawn) return;
    this.#drawn = text;
    this.#parts.write(together(codes.beginFrame, codes.home, text, codes.endFrame));
  }

  #last(): number {
    return Math.max(0, this.#all - this.#rows);
  }

  #to(row: number): void {
    const top = Math.max(0, Math.min(row, this.#last()));
    this.#top = top === this.#last() ? null : top;
  }
}
