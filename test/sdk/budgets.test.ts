// Budgets, one by one (ANCHORS 5.13): told at 80 %, stopped within one call, exit 6, and the session goes on with a larger one.

import { expect, test } from "vitest";
import type { Event, HarnessOptions } from "../../src/index.js";
import { fixedClock } from "../../src/lib/fixed.js";
import { blocks, type Stage, stage } from "../support/stage.js";
import type { WireReply } from "../support/wire/anthropic.js";

type Limits = NonNullable<NonNullable<HarnessOptions["settings"]>["limits"]>;

/** Ten tokens sent and five received a turn: at $3 and $15 a million that is $0.000105. */
const busy = (at: number): WireReply => ({
  calls: [{ id: `c${at}`, name: "run_command", input: { command: `echo ${at}` } }],
  usage: { input: 10, output: 5 },
});

const prices = { models: { prices: { "claude-sonnet-4-5": { input: 3, output: 15 } } } };
const auto = { permissions: { mode: "auto" } } as const;

function warnings(s: Stage) {
  return s.events.filter((event): event is Extract<Event, { type: "budget.warn" }> => event.type === "budget.warn");
}

const rows: [keyof Limits, number, { subtype: string; requests: number; warned: number; said: string }][] = [
  ["turns", 10, { subtype: "error_max_turns", requests: 10, warned: 8, said: "8 of the 10 turns" }],
  ["calls", 10, { subtype: "error_budget", requests: 11, warned: 8, said: "8 of the 10 tool calls" }],
  ["tokens", 150, { subtype: "error_budget", requests: 10, warned: 120, said: "120 of the 150 tokens" }],
  ["output", 50, { subtype: "error_budget", requests: 10, warned: 40, said: "40 of the 50 output tokens" }],
  [
    "cost",
    0.00105,
    { subtype: "error_budget", requests: 10, warned: 0.00084, said: "0.0008 of the 0.00105 US dollars" },
  ],
];

test.each(rows)("%s", async (what, limit, { subtype, requests, warned, said }) => {
  const s = await stage((_, index) => (index < 30 ? busy(index) : { text: "done" }));
  const settings = { ...auto, ...prices, limits: { [what]: limit } };
  const session = await s.open({ settings });
  const result = await session.send("go");
  expect(result).toMatchObject({ subtype, exit_code: 6, is_error: true });
  expect(result.detail).toContain("continue the session with a larger one");
  expect(s.server.requests).toHaveLength(requests);
  expect(warnings(s)).toMatchObject([{ what, limit }]);
  expect(warnings(s)[0]?.used).toBeCloseTo(warned, 9);
  const last = s.bodies().at(-1);
  expect((last ? blocks(last) : []).filter((block) => block.includes(said))).toHaveLength(1);
  // It counts a run and not the session: the same limit is there anew, and every call of the first run has its result.
  await session.close();
  const again = await s.open({ settings: { ...auto, ...prices } }, true);
  expect((await again.send("go on")).subtype).not.toBe("error_budget");
  expect(s.server.requests.length).toBeGreaterThan(requests + 5);
});

test("time: told at 80 %, stopped before the next request", async () => {
  const clock = fixedClock();
  const s = await stage((_, index) => {
    clock.advance(10_000);
    return busy(index);
  });
  const session = await s.open({ clock, settings: { ...auto, limits: { time: 100 } } });
  expect(await session.send("go")).toMatchObject({ subtype: "error_budget", exit_code: 6 });
  expect(s.server.requests).toHaveLength(10);
  expect(warnings(s)).toMatchObject([{ what: "time", used: 80, limit: 100 }]);
});

test("limits beyond the reach of a timer limit nothing", async () => {
  const s = await stage([busy(1), { text: "hi" }]);
  const session = await s.open({ settings: { ...auto, limits: { time: 3_000_000, stall: 300_000 } } });
  expect(await session.send("go")).toMatchObject({ subtype: "success", result: "hi" });
  expect(s.events.filter((event) => event.type === "turn.retry")).toEqual([]);
});

test("time: what is under way is ended, a request as well as a command", async () => {
  const sleep: WireReply = { calls: [{ id: "s", name: "run_command", input: { command: "sleep 600" } }] };
  for (const reply of [{ text: "one", stallAfter: 3 }, sleep]) {
    const s = await stage([reply, { text: "went on" }]);
    const session = await s.open({ settings: { ...auto, limits: { time: 0.5 } } });
    expect(await session.send("go")).toMatchObject({ subtype: "error_budget", exit_code: 6 });
    if (reply !== sleep) await s.server.closed(0);
    expect(await session.send("again")).toMatchObject({ subtype: "success", result: "went on" });
  }
});
