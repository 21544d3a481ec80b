// Draws a block. Pure: a block, a width and what the user wants opened in; lines out.

import type { Block } from "../block.js";
import type { PictureRoom } from "../picture.js";
import type { Line } from "../span.js";
import { callLines } from "./call.js";
import { answerLines, noticeLines, saidLines, textLines, thinkingLines } from "./message.js";

/** How much of a call is shown without being opened: its line, its line and what it changed, or its view. */
export const callsShown = ["line", "diff", "view"] as const;
export type CallsShown = (typeof callsShown)[number];

export interface Drawing {
  width: number;
  calls: CallsShown;
  /** Everything there is. */
  open: boolean;
  /** Milliseconds since the epoch, for what is under way. */
  now: number;
  /** Where pictures can be shown. */
  pictures: PictureRoom | null;
}

export function blockLines(block: Block, drawing: Drawing): Line[] {
  switch (block.kind) {
    case "said":
      return saidLines(block, drawing);
    case "text":
      return textLines(block, drawing);
    case "thinking":
      return thinkingLines(block, drawing);
    case "call":
      return callLines(block, drawing);
    case "notice":
      return noticeLines(block, drawing);
    case "answer":
      return answerLines(block, drawing);
  }
}

/** Calls and notices stand close together; everything else is set apart. */
export function apart(before: Block | undefined, block: Block): boolean {
  if (!before) return false;
  return !(before.kind === block.kind && (block.kind === "call" || block.kind === "notice"));
}
