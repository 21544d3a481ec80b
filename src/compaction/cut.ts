// Where a conversation is cut: what comes before is compacted, what comes after stays as it was said. Pure.
// Invariants: no call is parted from its result; what stays is the longest tail that fits in `keep` tokens, and may be
// empty; a conversation is never cut before its first message, for that would change nothing.

import type { Said } from "../core/conversation.js";
import { callsOf } from "../core/message.js";
import { tokensOfMessage } from "./size.js";

export interface Cut {
  compacted: readonly Said[];
  /** Verbatim. */
  tail: readonly Said[];
}

/** Null when there is nothing before any place where it could be cut. */
export function cut(said: readonly Said[], keep: number): Cut | null {
  const open = new Set<string>();
  const places: number[] = [];
  for (const [index, { message }] of said.entries()) {
    for (const { id } of callsOf(message)) open.add(id);
    for (const part of message.parts) if (part.type === "result") open.delete(part.callId);
    if (open.size === 0) places.push(index + 1);
  }
  const sizes = said.map(({ message }) => tokensOfMessage(message));
  let tokens = 0;
  let at = said.length;
  let best = places.at(-1);
  for (const place of places.reverse()) {
    for (; at > place; at--) tokens += sizes[at - 1] ?? 0;
    if (tokens > keep) break;
    best = place;
  }
  return best === undefined ? null : { compacted: said.slice(0, best), tail: said.slice(best) };
}
