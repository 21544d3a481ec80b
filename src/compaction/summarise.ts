// What a model is asked for when a conversation is compacted, and whether its answer is taken. Pure.
//
//   answer                                     -> verdict
//   a refusal                                     no
//   no text, perhaps calls                        no; the calls are not run
//   text cut by the output limit                  no: half a summary is worse than none
//   text that would not make it shorter           no
//   any other text                                taken; calls beside it are not run

import { callsOf, type Message, type Stop, textOf } from "../core/message.js";

/** Requests for a summary, all in all. */
export const maxAttempts = 2;

export interface Wish {
  /** What the user wants kept in particular. */
  focus?: string | undefined;
  /** Words the summary may have. */
  words: number;
  /** Why the answer before was not taken. */
  refused?: string | undefined;
}

export function question({ focus, words, refused }: Wish): string {
  const again = refused === undefined ? "" : `Your last answer to this could not be used: ${refused}.\n`;
  const about = focus === undefined ? "" : `\nThe user wants this kept in particular: ${focus}`;
  return `${again}The conversation has become too long and is compacted now. Answer with text only: a summary of it for yourself, in at most ${words} words. Calls would not be run.
The harness itself keeps, word for word: what the user said, which files were changed, which calls failed, and the last messages. Do not repeat those. Write what only you can:
1. what was done, and what you saw that proves it;
2. what you found out about the project that took effort to find;
3. decisions and their reasons, also what was ruled out;
4. what you were doing just now, and what is left, in order.${about}`;
}

export type Judged = { text: string; refused?: never } | { text?: never; refused: string };

/** `shrinks`: whether the conversation is shorter with this text. */
export function judgeSummary(message: Message, stop: Stop, shrinks: (text: string) => boolean): Judged {
  const text = textOf(message).trim();
  if (stop === "refusal") return { refused: "the model refused" };
  if (text === "") {
    return { refused: callsOf(message).length > 0 ? "it was a call, and text was asked for" : "it was empty" };
  }
  if (stop === "length") return { refused: "it was cut by the output limit" };
  if (!shrinks(text)) return { refused: "it did not make the conversation shorter" };
  return { text };
}

/** Half of the `tokens` there are, for a model counts words badly; between a paragraph and a few pages. */
export function wordsFor(tokens: number): number {
  return Math.min(1_500, Math.max(20, Math.floor((tokens * 0.75) / 2)));
}
