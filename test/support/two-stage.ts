// Runs with `files.twoStage` on: replies that call without a text, replies that are the text, and which request asked for it.
// What is asked for is recognised by its question, not by its place.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { HarnessOptions } from "../../src/index.js";
import { type Body, blocks, stage } from "./stage.js";
import type { WireReply } from "./wire/server.js";

export const on = { permissions: { mode: "auto" }, files: { twoStage: true } } as const;
export const write = (path: string, id = "w"): WireReply => ({ calls: [{ id, name: "write_file", input: { path } }] });
export const append = (path: string, id = "a"): WireReply => ({
  calls: [{ id, name: "append_file", input: { path } }],
});
export const body = (text: string, more: Partial<WireReply> = {}): WireReply => ({ text, ...more });
export const ok: WireReply = { text: "ok" };

export async function run(
  script: WireReply[],
  options: Partial<HarnessOptions> = {},
  files: Record<string, string> = {},
) {
  const staged = await stage(script);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(staged.root, name), text);
  const session = await staged.open({ settings: on, ...options });
  const result = await session.send("go");
  return { ...staged, session, result, text: (name: string) => readFileSync(join(staged.root, name), "utf8") };
}

/** The question of a request that asks for a text; an opening of the answer may stand behind it. */
export const question = (request: Body | undefined) =>
  blocks(request as Body).findLast((block) => block.startsWith("user ")) ?? "";
export const asks = (request: Body) => question(request).includes("Now send the ");

export function expectPrefix(before: Body, after: Body): void {
  expect(blocks(after).slice(0, blocks(before).length)).toEqual(blocks(before));
}
