// Cancelling a run in every phase that a provider can hang in (SECURITY F 151): it ends as cancelled, the socket is
// closed by us, nothing runs afterwards, and the session goes on.

import { expect, test } from "vitest";
import type { Event } from "../../src/index.js";
import { type Stage, stage } from "../support/stage.js";
import type { WireReply } from "../support/wire/anthropic.js";

const call = { id: "w", name: "write_file", input: { path: "a.txt", content: "one\ntwo\n" } };
const failing = (at: number): WireReply => ({
  calls: [{ id: `c${at}`, name: "run_command", input: { command: "exit 3" } }],
});
const ping = 'event: ping\ndata: {"type":"ping"}\n\n';

interface Phase {
  script: WireReply[];
  /** Which reply is under way. Default: the last. */
  at?: number;
  /** What has been seen when it is time. */
  seen?: (event: Event) => boolean;
}

const heard = (type: Event["type"]) => (event: Event) => event.type === type;

const phases: Record<string, Phase> = {
  "before the headers": { script: [{ stallAfter: -1 }] },
  "before the first byte": { script: [{ stallAfter: 0 }] },
  "in its thinking": { script: [{ thinking: { text: "let me see" }, stallAfter: 5 }], seen: heard("thinking.delta") },
  "in its text": { script: [{ text: "let me see", stallAfter: 4 }], seen: heard("text.delta") },
  "in a call": { script: [{ text: "I write.", calls: [call], stallAfter: 9 }], seen: heard("text.delta") },
  "while it only pings": { script: [{ text: "let me see", stallAfter: 4, drip: ping }], seen: heard("text.delta") },
  "after the last event, before the end": { script: [{ text: "hi", stallAfter: 7 }], seen: heard("text.delta") },
  "in a second attempt": { script: [{ status: 429, headers: { "retry-after": "0" } }, { stallAfter: 0 }] },
  "in the summary of a loop": {
    script: [...[0, 1, 2, 3, 4, 5].map(failing), { text: "I tried", stallAfter: 4 }],
    seen: heard("loop.stop"),
  },
};

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

function last(s: Stage) {
  return s.events.findLast((event) => event.type === "state.change");
}

test.each(Object.entries(phases))("F 151: %s", async (_, { script, at = script.length - 1, seen }) => {
  const s = await stage([...script, { text: "went on" }]);
  const session = await s.open();
  const sent = session.send("go");
  await until(() => s.server.requests.length > at && (!seen || s.events.some(seen)));
  session.cancel();
  expect(await sent).toMatchObject({ subtype: "error_cancelled", exit_code: 130, files: [] });
  await s.server.closed(at);
  expect(last(s)).toMatchObject({ to: "cancelled" });
  expect(s.server.requests).toHaveLength(at + 1);
  expect(await session.send("again")).toMatchObject({ subtype: "success", result: "went on" });
});

test("F 151: in the pause before another attempt", async () => {
  const s = await stage([{ status: 429, headers: { "retry-after": "50" } }, { text: "went on" }]);
  const session = await s.open();
  const sent = session.send("go");
  await until(() => s.events.some(heard("turn.retry")));
  session.cancel();
  expect(await sent).toMatchObject({ subtype: "error_cancelled", exit_code: 130 });
  expect(s.server.requests).toHaveLength(1);
  expect(await session.send("again")).toMatchObject({ subtype: "success", result: "went on" });
});

test("F 151: in the request of a compaction", async () => {
  const s = await stage([{ text: "x".repeat(20_000) }, { text: "a summary", stallAfter: 4 }, { text: "went on" }]);
  const session = await s.open({ settings: { permissions: { mode: "auto" }, compaction: { keep: 0 } } });
  await session.send("y".repeat(20_000));
  const compacting = session.compact();
  await until(() => s.server.requests.length === 2);
  session.cancel();
  expect(await compacting).toMatchObject({ state: "failed", subtype: "error_cancelled" });
  await s.server.closed(1);
  expect(await session.send("again")).toMatchObject({ subtype: "success", result: "went on" });
});

test("cancelled before it began: one transition, no request", async () => {
  const s = await stage([{ text: "never" }]);
  const session = await s.open();
  const result = await session.send("go", { signal: AbortSignal.abort() });
  expect(result).toMatchObject({ subtype: "error_cancelled", exit_code: 130, num_turns: 0 });
  expect(s.events.filter(heard("state.change"))).toMatchObject([{ from: "created", to: "cancelled" }]);
  expect(s.server.requests).toEqual([]);
});
