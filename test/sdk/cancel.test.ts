// Cancelling a run in every phase that a provider can hang in (SECURITY F 151): it ends as cancelled, the socket is
// closed by us, nothing runs afterwards, and the session goes on. How soon: test/slow/cancel-time.test.ts.

import { expect, test } from "vitest";
import { cancelIn, heard, phases, until } from "../support/cancelled.js";
import { type Stage, stage } from "../support/stage.js";

function last(s: Stage) {
  return s.events.findLast((event) => event.type === "state.change");
}

test.each(Object.entries(phases))("F 151: %s", async (_, phase) => {
  const { stage: s, session, result, at } = await cancelIn(phase);
  expect(result).toMatchObject({ subtype: "error_cancelled", exit_code: 130, files: [] });
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
