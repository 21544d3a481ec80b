// Draws inline, in the normal screen: finished lines go to the scrollback once and for ever, below them a live region that is
// redrawn line by line. Every frame is one synchronised update.
// Invariants: the screen is never cleared and the scrollback never touched; what is above the live region is not ours any
// more. The live region is at most as high as the screen. Bytes go to one writer, which takes safe text only.
//
// After a change of width the terminal has wrapped our old lines anew; how many rows they take now is worked out from
// their widths, the region is cleared from its first row downwards, and drawn again.

import { terminalCodes as codes, type SafeText, together } from "../../lib/safe-text.js";
import { drawnPicture } from "./picture.js";
import { type Line, widthOf } from "./span.js";
import { inked, type Theme } from "./theme.js";

export interface Cursor {
  row: number;
  column: number;
}

export interface Frame {
  /** Lines that scroll away with this frame. */
  finished: readonly Line[];
  /** What stays in sight below them. */
  live: readonly Line[];
  /** In the live region; null hides it. */
  cursor: Cursor | null;
}

interface Drawn {
  text: SafeText;
  width: number;
}

const nothing = "" as SafeText & "";

export class Screen {
  readonly #write: (text: SafeText) => void;
  #theme: Theme;
  #drawn: Drawn[] = [];
  /** Where the terminal's cursor is, in the live region. */
  #row = 0;
  #column = 0;
  #width: number;
  #shown = true;

  constructor(write: (text: SafeText) => void, width: number, theme: Theme) {
    this.#write = write;
    this.#width = width;
    this.#theme = theme;
  }

  set theme(theme: Theme) {
    this.#theme = theme;
  }

  draw({ finished, live, cursor }: Frame, size: { columns: number; rows: number }): void {
    const resized = size.columns !== this.#width;
    const next = [...finished.map((line) => this.#final(line)), ...live.map((line) => this.#inked(line))];
    const body = resized ? this.#afterResize(next, size.columns) : this.#difference(next, finished.length);
    this.#drawn = next.slice(finished.length);
    const moved = this.#place(cursor, finished.length);
    if (body === nothing && moved === nothing) return;
    this.#write(together(codes.beginFrame, body, moved, codes.endFrame));
  }

  #inked(line: Line): Drawn {
    return { text: inked(line, this.#theme), width: widthOf(line) };
  }

  /** With its picture, which is drawn once. */
  #final(line: Line): Drawn {
    const { text, width } = this.#inked(line);
    const pictures = line.flatMap(({ picture }) => (picture ? [drawnPicture(picture)] : []));
    return { text: together(text, ...pictures), width };
  }

  /** Takes the live region off the screen. */
  erase(): void {
    this.#write(
      together(codes.up(this.#row), codes.column(0), codes.clearBelow, this.#shown ? nothing : codes.showCursor),
    );
    this.forget();
  }

  /** Somebody else has drawn since: the next frame begins where the cursor is. */
  forget(): void {
    this.#drawn = [];
    this.#row = 0;
    this.#column = 0;
    this.#shown = true;
  }

  /** Rows of the old region that are still right stay; `pushed` of the new lines are beyond it. */
  #difference(next: readonly Drawn[], pushed: number): SafeText {
    const old = this.#drawn;
    const same = (at: number) => old[at] !== undefined && old[at]?.text === next[at]?.text;
    if (pushed > 0 || next.length !== old.length)
      return this.#fromFirst(
        next,
        next.findIndex((_, at) => !same(at)),
      );
    const pieces: SafeText[] = [];
    for (const [at, { text }] of next.entries()) {
      // Cleared before it is written: at the right edge, clearing behind would take the last character.
      if (!same(at)) pieces.push(this.#to(at, 0), codes.clearRight, text);
    }
    if (pieces.length > 0) this.#column = -1;
    return together(...pieces);
  }

  /** Everything from the first different row on is written anew. */
  #fromFirst(next: readonly Drawn[], first: number): SafeText {
    const old = this.#drawn.length;
    const from = first < 0 ? next.length : first;
    if (from >= next.length) {
      // Only rows at the end went away.
      if (old <= next.length) return nothing;
      return together(this.#to(next.length, 0), codes.clearBelow);
    }
    const begin =
      from < old || old === 0
        ? together(this.#to(from, 0), from < old ? codes.clearBelow : nothing)
        : together(this.#to(old - 1, 0), codes.newLine);
    const written = next.slice(from).flatMap(({ text }, at) => (at > 0 ? [codes.newLine, text] : [text]));
    this.#row = next.length - 1;
    this.#column = -1;
    return together(begin, ...written);
  }

  #afterResize(next: readonly Drawn[], width: number): SafeText {
    const above = this.#drawn.slice(0, this.#row).reduce((rows, each) => rows + rowsOf(each.width, width), 0);
    const inside = this.#row < this.#drawn.length ? Math.floor(Math.max(0, this.#column) / width) : 0;
    const begin = together(codes.up(above + inside), codes.column(0), codes.clearBelow);
    this.#drawn = [];
    this.#row = 0;
    this.#column = 0;
    this.#width = width;
    return together(begin, this.#fromFirst(next, next.length > 0 ? 0 : -1));
  }

  /** Rows are counted in `next`, of which the first `pushed` are gone once drawn. */
  #place(cursor: Cursor | null, pushed: number): SafeText {
    this.#row -= pushed;
    const shown = this.#shown;
    this.#shown = cursor !== null;
    const visible = shown === this.#shown ? nothing : cursor ? codes.showCursor : codes.hideCursor;
    if (!cursor) return visible;
    const there = cursor.row === this.#row && cursor.column === this.#column;
    return together(there ? nothing : this.#to(cursor.row, cursor.column), visible);
  }

  #to(row: number, column: number): SafeText {
    const rows = row - this.#row;
    this.#row = row;
    this.#column = column;
    return together(rows > 0 ? codes.down(rows) : codes.up(-rows), codes.column(column));
  }
}

function rowsOf(width: number, columns: number): number {
  return Math.max(1, Math.ceil(width / columns));
}
