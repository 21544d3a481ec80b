// How many tokens a text or a message has, roughly: four bytes of UTF-8 each. Pure.
// Good enough for shares of a window. What a provider has counted is the better number wherever there is one.

import { imageTokens } from "../core/image.js";
import type { Message, Part } from "../core/message.js";

const bytesPerToken = 4;

/** Names, ids and frames of a part on the wire. */
const frame = 8;

export function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

const measured = new WeakMap<Message, number>();

/** A message never changes, so each is measured once. */
export function tokensOfMessage(message: Message): number {
  const known = measured.get(message);
  if (known !== undefined) return known;
  const tokens = message.parts.reduce((sum, part) => sum + frame + tokensOfPart(part), 0);
  measured.set(message, tokens);
  return tokens;
}

function tokensOfPart(part: Part): number {
  switch (part.type) {
    case "image":
      return imageTokens;
    case "call":
      return tokensOf(part.raw ?? JSON.stringify(part.input)) + opaque(part);
    case "result":
      return tokensOf(part.text);
    default:
      return tokensOf(part.text) + opaque(part);
  }
}

function opaque(part: Exclude<Part, { type: "image" | "result" }>): number {
  return part.opaque ? tokensOf(JSON.stringify(part.opaque)) : 0;
}
