// The form of the tables: what a program may be given so that it only reads.
// Flags are a list of words:
//   -abc      each letter is a flag without a value; together or apart        -n:  takes a value, attached or as next word (`-abn:` is both)
//   --long    without a value     --long:  with a value     --long?  with `=value` or without     --long=a|b  only these
//   -f@ --file@   the value is a file that is read          -NUM   a number as a flag (`-5`)
// Whatever is not in the list asks. Abbreviations of long flags are not in the list.

import type { Word } from "../script.js";

export interface Given {
  flags: readonly { name: string; value?: string }[];
  operands: readonly Word[];
  /** The words after the program's name. */
  words: readonly Word[];
}

/** What a program's own rule found: it asks, it is dangerous, or (null) nothing. */
export type Check = (given: Given) => { verdict: "needs-approval" | "danger" | "opaque"; why: string } | null;

export interface Reader {
  flags: string;
  /** One word is one flag, however many letters follow the dash. */
  style?: "words";
  /** `pattern`: the first one is text, unless a flag of `given` stands in for it. */
  operands: "none" | "text" | "paths" | "pattern" | "revisions";
  given?: string;
  max?: number;
  /** It reads its input when it has fewer operands than this, so there has to be one. */
  input?: number;
  /** With one of these flags (`*`: always) it reads all files below a directory. */
  tree?: string;
  /** Flags, or beginnings of long ones, that make it run a program. */
  runs?: string;
  /** Reads to the end of what it is given. */
  whole?: true;
  check?: Check;
  /** Files that its program text has it write. */
  writes?(given: Given): readonly Word[];
  /** Flags with which it goes through links. */
  follow?: string;
  /** No file on disk: the shell does it. */
  builtin?: true;
}

export interface Doer {
  /** What it does, for a person: `deletes files`. */
  does: string;
  /** Which of its operands it writes to; `tree`: and to what lies below; `read`: it only gets to see them. */
  operands?: "write" | "delete" | "tree" | "first" | "last" | "read";
  /** The flag before a word that is written to although its place says otherwise: `-t` of `cp -t there these`. */
  into?: RegExp;
  runs?: string;
  /** Makes it never run unasked when the words after its name match. */
  danger?: readonly (readonly [RegExp, string])[];
  check?: Check;
}

/** A program that starts the one named by its operands. */
export interface Wrapper {
  /** Its own flags that are understood. */
  flags: string;
  /** Words before the inner command: the 5 of `timeout 5 ls`. */
  before?: number;
  /** Assignments before the inner command. */
  assigns?: true;
  why: string;
  danger?: true;
  /** It adds words of its own to the inner command. */
  adds?: true;
  runs?: string;
}

/** A program that asks, and what it does. */
export function asks(does: string, more: Partial<Doer> = {}): Doer {
  return { does, ...more };
}

/** A program that is never run unasked. */
export function danger(does: string): Doer {
  return { does, danger: [[/(?:)/, `It ${does}.`]] };
}
