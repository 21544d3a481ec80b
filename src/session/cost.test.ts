// What a session has cost, by hand: shares of a request, money, the cache, and why it missed.

import { expect, test } from "vitest";
import type { Entry, EntryData, EntryType } from "../core/entry.js";
import type { Usage } from "../core/message.js";
import { sessionCost } from "./cost.js";

const prices = { input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5, date: "today" };

/** Entries that each hang on the one before, unless `parent` says otherwise. */
function log() {
  const entries: Entry[] = [];
  const add = <T extends EntryType>(
    type: T,
    data: EntryData[T],
    more: { parent?: string | null; time?: number } = {},
  ) => {
    const seq = entries.length;
    const parent = more.parent === undefined ? (entries.at(-1)?.id ?? null) : more.parent;
    const entry = { v: 1, seq, id: `e${seq}`, parent, type, time: more.time ?? seq * 1_000, data };
    entries.push(entry as unknown as Entry);
    return entry.id;
  };
  const user = (text: string, more = {}) => add("message", { role: "user", parts: [{ type: "text", text }] }, more);
  const answer = (usage: Partial<Usage>, more = {}) =>
    add(
      "message",
      {
        role: "assistant",
        parts: [{ type: "call", id: "c", tool: "look", input: {} }],
        usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, ...usage },
      },
      more,
    );
  const result = (chars: number) => {
    const part = { type: "result", callId: "c", tool: "look", text: "x".repeat(chars), isError: false } as const;
    return add("message", { role: "tool", parts: [part] });
  };
  add("model", { id: "a/b", params: { maxOutput: 1 } });
  return { entries, add, user, answer, result };
}

test("a result is paid by every request that carried it, as its place in the request was", () => {
  const { entries, user, answer, result } = log();
  user("hi");
  answer({ input: 1_000, output: 10 });
  result(4_000); // 1,000 tokens, at the end of what follows
  answer({ cacheRead: 1_000, cacheWrite: 1_000, output: 10 });
  answer({ cacheRead: 2_000, input: 20, output: 10 });
  const cost = sessionCost(entries, () => prices);
  expect(cost.requests).toBe(3);
  expect(cost.usage).toEqual({ input: 1_020, output: 30, cacheRead: 3_000, cacheWrite: 1_000 });
  expect(cost.hitRate).toBeCloseTo(3_000 / 5_020);
  expect(cost.usd).toBeCloseTo((1_020 * 10 + 30 * 50 + 3_000 * 1 + 1_000 * 12.5) / 1e6);
  const [look] = cost.results;
  expect(look).toMatchObject({ call: "c", tool: "look", tokens: 1_000, requests: 2 });
  const { read = 0, written = 0, uncached = 0 } = look ?? {};
  expect(read + written + uncached).toBeCloseTo(2_000);
  expect(written).toBeCloseTo(1_000);
  expect(look?.usd).toBeCloseTo((read * 1 + written * 12.5 + uncached * 10) / 1e6);
});

test("the parts of a request are never dearer than the request", () => {
  const { entries, user, answer, result } = log();
  user("hi");
  answer({ input: 10 });
  result(400_000);
  answer({ input: 500 });
  const [look] = sessionCost(entries, () => prices).results;
  expect(look?.uncached).toBeLessThanOrEqual(500);
  expect(look?.uncached).toBeGreaterThan(490);
});

test("another branch pays for what it carries, and for nothing else", () => {
  const { entries, user, answer, result } = log();
  const first = user("hi");
  answer({ input: 100 });
  result(40);
  answer({ input: 100 });
  answer({ input: 100 }, { parent: first });
  expect(sessionCost(entries, () => prices).results).toMatchObject([{ requests: 1 }]);
});

test("what a compaction replaced is not carried any more", () => {
  const { entries, add, user, answer, result } = log();
  const from = user("hi");
  answer({ input: 100 });
  const to = result(40);
  answer({ input: 100 });
  add("compaction", { from, to, ledger: {}, summary: "in short" });
  answer({ input: 100 });
  expect(sessionCost(entries, () => prices).results).toMatchObject([{ requests: 1 }]);
});

test("a request beside the conversation counts, by its note", () => {
  const { entries, add, user, answer } = log();
  user("hi");
  answer({ input: 100 });
  const usage = { input: 20, output: 5, cacheRead: 90, cacheWrite: 0 };
  add("note", { code: "compact.ask", text: "a summary was taken", data: { usage } });
  add("note", { code: "other", text: "no request", data: { usage: { input: 1 } } });
  const cost = sessionCost(entries, () => prices);
  expect(cost).toMatchObject({ requests: 2, usage: { input: 120, output: 5, cacheRead: 90 } });
  expect(cost.turns[1]).toMatchObject({ model: "a/b", usage });
});

test("an answer beside the conversation, told by a note, is paid like any other", () => {
  const { entries, add, user, answer, result } = log();
  user("hi");
  answer({ input: 100 });
  result(40);
  add("note", {
    code: "compact.ask",
    text: "",
    data: { usage: { input: 200, output: 7, cacheRead: 0, cacheWrite: 0 } },
  });
  const cost = sessionCost(entries, () => prices);
  expect(cost).toMatchObject({ requests: 2, usage: { input: 300, output: 7 }, results: [{ requests: 1 }] });
});

test("an unknown price stays unknown", () => {
  const { entries, user, answer } = log();
  user("hi");
  answer({ input: 100 });
  expect(sessionCost(entries, () => undefined)).toMatchObject({ usd: null, unpriced: ["a/b"], hitRate: 0 });
  expect(sessionCost([], () => prices)).toMatchObject({ usd: 0, hitRate: null, results: [], misses: [] });
});

test("a miss has its cause: what the log says, else the clock, else the provider", () => {
  const { entries, add, user, answer } = log();
  const full = { cacheRead: 40_000, cacheWrite: 10_000 };
  user("hi");
  answer(full, { time: 0 });
  answer({ cacheRead: 49_500 }, { time: 1_000 });
  answer({ cacheRead: 50_000 }, { time: 2_000 });
  answer({ input: 50_000 }, { time: 400_000 });
  answer({ cacheWrite: 50_000 }, { time: 401_000 });
  answer({ cacheRead: 10_000, input: 40_000 }, { time: 402_000 });
  answer(full, { time: 403_000 });
  const break_ = { section: "context", cause: "tools", tokens: 7, usd: 0.5 };
  add("note", { code: "cache.break", text: "", data: break_ }, { time: 404_000 });
  answer({ input: 50_000 }, { time: 405_000, parent: entries.at(-2)?.id ?? null });
  const { misses } = sessionCost(entries, () => prices);
  expect(misses.map(({ cause, section, tokens }) => [cause, section, tokens])).toEqual([
    ["expired", null, 50_000],
    ["provider", null, 40_000],
    ["tools", "context", 7],
  ]);
  expect(misses[0]?.usd).toBeCloseTo((50_000 * 11.5) / 1e6);
  expect(misses[2]?.usd).toBe(0.5);
});
