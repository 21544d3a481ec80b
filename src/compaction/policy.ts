// When a conversation is compacted, and how much of it is kept. Pure; a few additions per request.
//
//   next request            said since the last compaction    -> due
//   below the mark                                               no
//   at or over the mark     nothing was compacted yet            yes
//   at or over the mark     at least a tenth of the room         yes
//   at or over the mark     less                                 no: it would only do the same again
//
// Invariant: between two compactions the conversation has grown by a tenth of the room, so they cannot chase each other.

import type { Conversation } from "../core/conversation.js";
import { tokensOfMessage } from "./size.js";

export interface Window {
  /** Tokens: context window and longest reply of the model. */
  window: number;
  maxOutput: number;
  /** `compaction.at` and `compaction.keep`. */
  at: number;
  keep: number;
}

/** Tokens. */
export interface Room {
  /** What a request may hold, so that a reply still fits behind it. */
  whole: number;
  /** From here on a compaction is due. */
  mark: number;
  /** Most that is kept verbatim. */
  keep: number;
}

/** A reply may need half of a small window, and never more is set aside for it. */
export function roomOf({ window, maxOutput, at, keep }: Window): Room {
  const whole = Math.max(1, Math.floor(window - Math.min(maxOutput, window / 2)));
  return { whole, mark: Math.floor(whole * at), keep: Math.min(keep, Math.floor(whole / 4)) };
}

/** Tokens. */
export interface Load {
  /** The next request as a whole. */
  next: number;
  /** What was said since the last compaction; null = there was none. */
  since: number | null;
}

/** `head`: tokens of tools, stable block and context block. */
export function loadOf({ compacted, verbatim, kept }: Conversation, head: number): Load {
  const sizes = verbatim.map(({ message }) => tokensOfMessage(message));
  const since = sum(sizes.slice(kept));
  const all = head + (compacted ? tokensOfMessage(compacted.message) : 0) + sum(sizes);
  // A reply from before the compaction was counted with all that is gone by now.
  const last = verbatim.findLastIndex(({ message }, i) => i >= kept && message.usage !== undefined);
  const usage = verbatim[last]?.message.usage;
  const counted = usage ? usage.input + usage.cacheRead + usage.cacheWrite + usage.output : 0;
  // The larger one: servers that count nothing, or nonsense, must not hide that a window is full.
  const next = Math.max(all, usage ? counted + sum(sizes.slice(last + 1)) : 0);
  return { next, since: compacted ? since : null };
}

export function isDue({ next, since }: Load, { whole, mark }: Room): boolean {
  return next >= mark && (since === null || since >= whole / 10);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
