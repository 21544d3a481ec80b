// Positions in a text: lines and columns as people count them (from 1, in characters), as servers count them (from 0, in
// UTF-8 bytes, UTF-16 units or code points), and offsets into a JavaScript string. Pure.
// Invariant: a position outside the text becomes the nearest one inside; no position ever splits a character.

import type { Position, Range } from "vscode-languageserver-types";

export const encodings = ["utf-16", "utf-8", "utf-32"] as const;
export type Encoding = (typeof encodings)[number];

export class SourceText {
  readonly text: string;
  /** Where each line begins, and where it ends without its line end. */
  readonly #lines: { start: number; end: number }[] = [];

  constructor(text: string) {
    this.text = text;
    let start = 0;
    for (const { index, 0: eol } of text.matchAll(/\r\n|\r|\n/g)) {
      this.#lines.push({ start, end: index });
      start = index + eol.length;
    }
    this.#lines.push({ start, end: text.length });
  }

  get lineCount(): number {
    return this.#lines.length;
  }

  /** `line` from 1; "" for one that is not there. */
  line(line: number): string {
    const at = this.#lines[line - 1];
    return at ? this.text.slice(at.start, at.end) : "";
  }

  /** The line end that most lines have. */
  get eol(): string {
    const crlf = this.text.match(/\r\n/g)?.length ?? 0;
    return crlf * 2 > this.#lines.length - 1 ? "\r\n" : "\n";
  }

  /** From a person's line and column to the server's. */
  toServer({ line, column }: { line: number; column: number }, encoding: Encoding): Position {
    const at = Math.min(Math.max(line, 1), this.#lines.length);
    const before = [...this.line(at)].slice(0, Math.max(column, 1) - 1).join("");
    return { line: at - 1, character: measure(before, encoding) };
  }

  fromServer(position: Position, encoding: Encoding): { line: number; column: number } {
    const { line, offset } = this.#place(position, encoding);
    const start = this.#lines[line]?.start ?? 0;
    return { line: line + 1, column: [...this.text.slice(start, offset)].length + 1 };
  }

  /** The offset of a server's position in `text`. */
  offset(position: Position, encoding: Encoding): number {
    return this.#place(position, encoding).offset;
  }

  /** The server's range around a whole text. */
  whole(encoding: Encoding): Range {
    const line = this.#lines.length;
    return {
      start: { line: 0, character: 0 },
      end: { line: line - 1, character: measure(this.line(line), encoding) },
    };
  }

  #place({ line, character }: Position, encoding: Encoding): { line: number; offset: number } {
    if (line >= this.#lines.length) return { line: this.#lines.length - 1, offset: this.text.length };
    const at = Math.max(line, 0);
    const { start = 0, end = 0 } = this.#lines[at] ?? {};
    let [units, offset] = [0, start];
    for (const each of this.text.slice(start, end)) {
      const size = measure(each, encoding);
      if (units + size > character) break;
      units += size;
      offset += each.length;
    }
    return { line: at, offset };
  }
}

function measure(text: string, encoding: Encoding): number {
  if (encoding === "utf-16") return text.length;
  return encoding === "utf-8" ? Buffer.byteLength(text) : [...text].length;
}

/** The places of a name as a whole word, as line and column from 1. */
export function placesOf(name: string, source: SourceText): { line: number; column: number }[] {
  const found: { line: number; column: number }[] = [];
  const isWord = (char: string | undefined) => char !== undefined && /[\p{L}\p{N}_$]/u.test(char);
  for (let line = 1; line <= source.lineCount; line++) {
    const text = source.line(line);
    for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
      const [before, after] = [text[at - 1], text[at + name.length]];
      const isWhole = !(isWord(before) && isWord(name[0])) && !(isWord(after) && isWord(name.at(-1)));
      if (isWhole) found.push({ line, column: [...text.slice(0, at)].length + 1 });
    }
  }
  return found;
}
