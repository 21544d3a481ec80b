// One run against a provider that plays its part byte by byte. Time stands still: the clock of these sessions moves only
// when somebody sleeps.

import type { HarnessOptions } from "../../src/index.js";
import { fixedClock } from "../../src/lib/fixed.js";
import { stage } from "./stage.js";
import { anthropicEvents, type WireReply } from "./wire/anthropic.js";
import type { WireScript } from "./wire/server.js";

export const now = Date.UTC(2026, 0, 1);

export async function play(script: WireReply[] | WireScript, options: Partial<HarnessOptions> = {}) {
  const s = await stage(script);
  const session = await s.open({ clock: fixedClock(now), ...options });
  return { ...s, session, result: await session.send("go") };
}

export const write = (path: string, id = "w"): WireReply => ({
  calls: [{ id, name: "write_file", input: { path, content: "one\ntwo\n" } }],
});

/** The bytes of a reply as Anthropic would send them. */
export function bytes(reply: WireReply): string {
  const frames = anthropicEvents(reply) as { type: string }[];
  return frames.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}
