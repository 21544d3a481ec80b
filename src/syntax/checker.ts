// The port behind which every parser stands: a text goes in, what is wrong with it comes out, in words and places.
// Invariant: a checker only looks. It reads no file, starts no process, needs no interpreter of the project, and its
// words hold no line numbers, so that the same fault is recognised after lines have moved (verdict.ts).

import { below } from "../lib/sorted.js";

export interface SyntaxIssue {
  /** 1-based. */
  line: number;
  /** 1-based, in UTF-16 units. */
  column: number;
  /** What is wrong, in one line, without places. */
  text: string;
  /** The other end of it, as `opened at 3:1`. */
  detail?: string;
  /** The text ends before this does: more of it would mend it. */
  isOpen?: true;
  /** Odd, but what reads the file accepts it. */
  isHint?: true;
}

export interface Checker {
  /** In the order of the text. Throws Unchecked when it cannot say. */
  issues(text: string): SyntaxIssue[];
}

/** A text that its checker cannot judge; the message says why, in a few words. */
export class Unchecked extends Error {}

/** From offsets to lines and columns. */
export class Places {
  readonly #text: string;
  #starts: number[] | undefined;
  /** Where the last character that is not blank ends. */
  readonly end: number;

  constructor(text: string) {
    this.#text = text;
    this.end = text.trimEnd().length;
  }

  at(offset: number): { line: number; column: number } {
    this.#starts ??= lineStarts(this.#text);
    const line = Math.max(1, below(this.#starts, offset + 1));
    return { line, column: offset - (this.#starts[line - 1] ?? 0) + 1 };
  }

  /** The place as it is written in details. */
  shown(offset: number): string {
    const { line, column } = this.at(offset);
    return `${line}:${column}`;
  }
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** A piece of source in a message: its first line, short. */
export function excerpt(text: string): string {
  const line = text.trim().split("\n", 1)[0]?.trimEnd() ?? "";
  return `\`${line.length > 30 ? `${line.slice(0, 30)}…` : line}\``;
}
