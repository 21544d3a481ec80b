// What the newest request is made of, for a person. Pure. Sizes are estimates (four characters a token); the total is what the
// provider counted, when it has.

import { conversationOf } from "../../core/conversation.js";
import { type Entry, lastOf } from "../../core/entry.js";
import { imageTokens } from "../../core/image.js";
import type { Part } from "../../core/message.js";

const perToken = 4;

export function contextView(path: readonly Entry[], window: number): string {
  const sizes = new Map<string, number>();
  const add = (what: string, characters: number) => sizes.set(what, (sizes.get(what) ?? 0) + characters);
  const prompt = lastOf(path, "prompt");
  if (prompt) add("instructions", prompt.data.stable.length + prompt.data.context.length);
  const { compacted, verbatim } = conversationOf(path);
  if (compacted) add("summary of what was compacted", sizeOf(compacted.message.parts));
  for (const { message } of verbatim) {
    for (const part of message.parts) add(nameOf(part, message.role), sizeOf([part]));
  }
  const counted = verbatim.findLast(({ message }) => message.usage)?.message.usage;
  const sent = counted && counted.input + counted.cacheRead + counted.cacheWrite + counted.output;
  const rows = [...sizes]
    .sort(([, a], [, b]) => b - a)
    .map(([what, characters]) => row(what, characters / perToken, window));
  const total =
    sent === undefined ? "Nothing was sent yet." : row("counted by the provider, tools included", sent, window);
  return [...rows, total].join("\n");
}

function row(what: string, tokens: number, window: number): string {
  const share = `${((100 * tokens) / window).toFixed(1)}%`;
  return `${String(Math.round(tokens)).padStart(9)} tokens  ${share.padStart(6)}  ${what}`;
}

function nameOf(part: Part, role: string): string {
  if (part.type === "result") return `results of ${part.tool}`;
  if (part.type === "call") return "calls";
  if (part.type === "thinking") return "thinking";
  if (part.type === "image") return "images";
  return role === "user" ? "what you and Cinch said" : "answers";
}

function sizeOf(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => {
    if (part.type === "call") return sum + JSON.stringify(part.input).length;
    return sum + (part.type === "image" ? imageTokens * perToken : part.text.length);
  }, 0);
}
