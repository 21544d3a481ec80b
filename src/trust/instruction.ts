// The text of an instruction file (AGENTS.md and the like), made safe to show and to send.
// Invariant: nothing is dropped silently: what is cut, left out or invisible is said to the user, and marked in the text for
// the model (SECURITY A 26–28). Nothing in it is expanded: `@file` stays five characters.

import type { Fs } from "../lib/fs.js";
import { showInvisible } from "../lib/safe-text.js";
import { readSmall } from "../lib/small-file.js";

export interface Instruction {
  /** What the model reads; null when the file is left out. */
  text: string | null;
  /** What the user should know about it, a clause; null = nothing. */
  odd: string | null;
}

/** Undefined when there is no regular file that can be read. */
export function readInstruction(disk: Fs, path: string, maxBytes: number): Instruction | undefined {
  const read = readSmall(disk, path, maxBytes);
  if (!read) return undefined;
  if (read.text.includes("\u0000")) return { text: null, odd: "is not text (it holds NUL) and was left out" };
  const { text, count } = showInvisible(read.text.trimEnd());
  const odd: string[] = [];
  const notes: string[] = [];
  if (count > 0) {
    const characters = count === 1 ? "1 invisible character" : `${count} invisible characters`;
    odd.push(`holds ${characters}, first in line ${text.slice(0, text.indexOf("\\u{")).split("\n").length}`);
    notes.push(`[${characters} of this file ${count === 1 ? "is" : "are"} shown as \\u{…}]`);
  }
  if (read.cut) {
    odd.push(`was cut: it has ${read.bytes} bytes, ${maxBytes} were read`);
    notes.push(`[cut: the file has ${read.bytes} bytes, ${maxBytes} are shown]`);
  }
  return { text: [text, ...notes].join("\n"), odd: odd.length === 0 ? null : odd.join("; it ") };
}
