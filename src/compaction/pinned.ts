// What the user said, which no compaction may reword: goal, constraints, corrections, answers. Pure.
// Invariant: every text is either repeated whole, unit for unit, or put aside whole into a file that the model can
// read, the long ones first. There is no other pin: what must survive is said by the user.

import { tokensOf } from "./size.js";

export interface PinnedText {
  /** Number among the user's messages, from 1. */
  number: number;
  /** Entry. */
  id: string;
  text: string;
}

export interface Pinned {
  /** In the order they were said. */
  repeated: readonly PinnedText[];
  /** Too long to be repeated in every request from now on. */
  aside: readonly PinnedText[];
}

/** Puts the longest aside first, until the rest has at most `tokens`. The first and the newest weigh a quarter. */
export function partPinned(texts: readonly PinnedText[], tokens: number): Pinned {
  const sized = texts.map((text, i) => {
    const size = tokensOf(text.text);
    return { text, size, weight: i === 0 || i === texts.length - 1 ? size / 4 : size };
  });
  let left = sized.reduce((sum, { size }) => sum + size, 0);
  const aside = new Set<PinnedText>();
  for (const { text, size } of [...sized].sort((a, b) => b.weight - a.weight)) {
    if (left <= tokens) break;
    aside.add(text);
    left -= size;
  }
  return { repeated: texts.filter((text) => !aside.has(text)), aside: texts.filter((text) => aside.has(text)) };
}

/** The file that holds what was put aside. */
export function asideFile(texts: readonly PinnedText[]): string {
  return texts.map(({ number, text }) => `--- message ${number} of the user ---\n${text}\n`).join("\n");
}
