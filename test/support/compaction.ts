// Sessions whose model has a tiny window, so that a few replies fill it. The server says which request asks for a summary by
// its last block, and answers it from a list of its own.

import type { HarnessOptions } from "../../src/index.js";
import { type Body, blocks, stage } from "./stage.js";
import type { WireReply, WireRequest } from "./wire/server.js";

export const window = 8_000;
export const settings = {
  permissions: { mode: "auto" },
  models: { windows: { "claude-sonnet-4-5": { window, maxOutput: 1_000 } } },
  compaction: { at: 0.8, keep: 1_000 },
} as const;

export const tooLong: WireReply = {
  status: 400,
  error: { type: "invalid_request_error", message: "prompt is too long: 9999 tokens > 8000 maximum" },
};
export const summary: WireReply = { text: "All is well so far." };

/** About `tokens` tokens of talk. */
export const talk = (tokens: number, word = "blah") => ({
  text: `${word} `.repeat(Math.ceil((tokens * 4) / (word.length + 1))),
});

export const asksForSummary = (body: Body) =>
  blocks(body).at(-1)?.includes("is compacted now. Answer with text only") ?? false;

/** A server that answers requests for a summary from one list and all others from another. */
export async function talking(replies: WireReply[] | ((n: number) => WireReply), summaries: WireReply[] = []) {
  let asked = 0;
  let told = 0;
  const set = await stage((request: WireRequest) => {
    if (asksForSummary(JSON.parse(request.body) as Body)) return summaries[asked++] ?? summary;
    const n = told++;
    return (typeof replies === "function" ? replies(n) : replies[n]) ?? { text: "done" };
  });
  return {
    ...set,
    open: (more: Partial<HarnessOptions> = {}, resume?: string) => set.open({ settings, ...more }, resume),
  };
}

export const firstText = (body: Body | undefined) => body?.messages[0]?.content[0]?.text ?? "";
