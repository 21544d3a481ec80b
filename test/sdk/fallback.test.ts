// Other models go on with a run while the first stays unavailable (`models.fallback`, SPEC 2.13), against two servers that
// speak different protocols. Time stands still: the clock moves only when somebody sleeps.

import { expect, onTestFinished, test } from "vitest";
import { createHarness, type HarnessOptions } from "../../src/index.js";
import { fixedClock } from "../../src/lib/fixed.js";
import { of } from "../support/events.js";
import { type Stage, stage } from "../support/stage.js";
import type { WireReply } from "../support/wire/anthropic.js";
import { startChat } from "../support/wire/chat.js";
import type { WireServer } from "../support/wire/server.js";

const first = "anthropic/claude-sonnet-4-5";
const second = "openai-compatible/second";
const away: WireReply = { status: 529 };
const gone = (times: number): WireReply[] => Array.from({ length: times }, () => away);
const look = { calls: [{ id: "l", name: "list_files", input: {} }] };

interface Pair extends Stage {
  other: WireServer;
  options: Partial<HarnessOptions>;
}

async function two(one: WireReply[], other: WireReply[], settings: HarnessOptions["settings"] = {}): Promise<Pair> {
  const s = await stage(one);
  const server = await startChat(other);
  onTestFinished(() => server.close());
  const env = {
    ANTHROPIC_API_KEY: "test-key",
    ANTHROPIC_BASE_URL: s.server.url,
    OPENAI_API_KEY: "other-key",
    OPENAI_BASE_URL: `${server.url}/v1`,
    PATH: process.env["PATH"],
  };
  const models = { fallback: [second], ...settings.models };
  const all = { permissions: { mode: "auto" }, ...settings, models } as const;
  return { ...s, other: server, options: { env, clock: fixedClock(Date.UTC(2026, 0, 1)), settings: all } };
}

const notices = (s: Stage) => of(s.events, "notice").flatMap(({ code, text }) => (code === "fallback" ? [text] : []));

test("F 132, 133: after the retries of the first the next one goes on, and the run after that asks the first again", async () => {
  const s = await two([look, ...gone(5), { text: "hello again" }], [look, { text: "done by another" }]);
  const session = await s.open(s.options);
  expect(await session.send("go")).toMatchObject({ subtype: "success", result: "done by another", exit_code: 0 });
  expect([s.server.requests.length, s.other.requests.length]).toEqual([6, 2]);
  // What was done before is in the request of the other one, in its own form.
  expect(s.other.requests[0]?.body).toMatch(/"role":"tool"/);
  expect(notices(s)).toEqual([
    expect.stringMatching(
      /^anthropic\/claude-sonnet-4-5 stays unavailable \(.*529.*\); openai-compatible\/second goes on/,
    ),
  ]);
  expect(of(s.events, "cache.break")).toMatchObject([{ section: "tools", cause: "model" }]);
  expect(of(s.events, "turn.retry").at(-1)).toMatchObject({ attempt: 5, delay_ms: 0, discarded: true });

  expect(await session.send("and now?")).toMatchObject({ subtype: "success", result: "hello again" });
  const models = [...session.entries()].flatMap((entry) => (entry.type === "model" ? entry.data : []));
  expect(models).toMatchObject([{ id: first }, { id: second, fallbackFor: first }, { id: first }]);
  expect(of(s.events, "cache.break").map(({ cause }) => cause)).toEqual(["model", "model"]);
});

test("a session that ended with another model is gone on with by its own", async () => {
  const s = await two([...gone(5), { text: "the first" }], [{ text: "the second" }]);
  const session = await s.open(s.options);
  expect(await session.send("go")).toMatchObject({ result: "the second" });
  await session.close();
  const harness = createHarness({ cwd: s.root, home: s.home, ...s.options });
  onTestFinished(() => harness.close());
  const again = await harness.open({ resume: session.id });
  expect(again.init.model).toBe(first);
  expect(await again.send("and now?")).toMatchObject({ result: "the first" });
});

test("thinking of the first is not sent to the other", async () => {
  const thinking = { text: "a secret thought", signature: "sig" };
  const s = await two([{ thinking, ...look }, ...gone(5)], [{ text: "done" }]);
  expect(await (await s.open(s.options)).send("go")).toMatchObject({ subtype: "success" });
  expect(s.server.requests[1]?.body).toContain("a secret thought");
  expect(s.other.requests[0]?.body).not.toContain("a secret thought");
});

test("each answer costs what its own model costs", async () => {
  const prices = { [first]: { input: 1, output: 10 }, [second]: { input: 100, output: 1_000 } };
  const usage = { input: 1_000, output: 100 };
  const s = await two([{ ...look, usage }, ...gone(5)], [{ text: "done", usage }], { models: { prices } });
  const session = await s.open(s.options);
  const result = await session.send("go");
  expect(result.total_cost_usd).toBeCloseTo(0.002 + 0.2, 9);
  const cost = await session.cost();
  expect(cost.turns.map(({ model }) => model)).toEqual([first, second]);
  expect(cost.usd).toBeCloseTo(0.202, 9);
});

test("exit 75 only after all of them, and the result says what each did", async () => {
  const s = await two(gone(5), gone(10), { models: { fallback: [second, "openai-compatible/third"] } });
  const result = await (await s.open(s.options)).send("go");
  expect(result).toMatchObject({ subtype: "error_provider", exit_code: 75 });
  expect([s.server.requests.length, s.other.requests.length]).toEqual([5, 10]);
  expect(result.detail).toMatch(/529.*;.*529.*; the same command may be run again/s);
});

test("one without a key, or whose key is refused, is left out and named", async () => {
  const s = await two(gone(5), [{ status: 401 }], { models: { fallback: ["google/gemini-2.5-pro", second] } });
  const result = await (await s.open(s.options)).send("go");
  expect(result).toMatchObject({ subtype: "error_provider", exit_code: 75 });
  expect(notices(s)[0]).toMatch(/^google\/gemini-2.5-pro is left out of models.fallback: .*key/);
  expect(notices(s)[1]).toContain(`${second} goes on`);
});

test.each([
  ["a key that is refused", { status: 401 }, "error_auth"],
  ["a request that is refused", { status: 400 }, "error_during_execution"],
] as const)("%s is no reason to ask another one", async (_, reply, subtype) => {
  const s = await two([reply], [{ text: "never" }]);
  expect(await (await s.open(s.options)).send("go")).toMatchObject({ subtype });
  expect(s.other.requests).toEqual([]);
});

test("the request for a summary is taken over as well", async () => {
  const s = await two([{ text: "x".repeat(20_000) }, ...gone(5)], [{ text: "a summary" }], { compaction: { keep: 0 } });
  const session = await s.open(s.options);
  await session.send("y".repeat(20_000));
  expect(await session.compact()).toMatchObject({ state: "done" });
  expect(s.other.requests).toHaveLength(1);
});

test("what a broken stream had said is void when another one answers", async () => {
  const broken: WireReply = { text: "half an answer", cutAfter: 5 };
  const s = await two(
    Array.from({ length: 5 }, () => broken),
    [{ text: "a whole one" }],
  );
  expect(await (await s.open(s.options)).send("go")).toMatchObject({ result: "a whole one" });
  const at = s.events.findLastIndex((event) => event.type === "turn.retry");
  const after = s.events.slice(at).flatMap((event) => (event.type === "text.delta" ? event.text : []));
  expect(after.join("")).toBe("a whole one");
});

test("a name that is none, or a price that is missing under a limit in dollars, is known before the first request", async () => {
  const typo = await two([], [], { models: { fallback: ["antropic/x"] } });
  await expect(typo.open(typo.options)).rejects.toMatchObject({
    exit: 2,
    message: expect.stringContaining("antropic"),
  });
  const dear = await two([], [], { limits: { cost: 1 } });
  await expect(dear.open(dear.options)).rejects.toMatchObject({ exit: 2, message: expect.stringContaining(second) });
});
