import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ask, open, user } from "../../test/support/model.js";
import type { Message } from "../core/message.js";
import type { ModelDeps } from "./open.js";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "cinch-script-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function script(items: unknown, deps: Partial<ModelDeps> = {}) {
  writeFileSync(join(dir, "s.json"), typeof items === "string" ? items : JSON.stringify(items));
  return open("scripted/s.json", { cwd: dir, ...deps });
}

function result(text: string): Message {
  return { role: "tool", parts: [{ type: "result", callId: "", tool: "read_file", text, isError: false }] };
}

test("items answer in order, then done", async () => {
  const model = await script([
    { thinking: "hm", text: "one", calls: [{ tool: "read_file", input: { path: "a" } }] },
    { text: "two" },
  ]);
  const first = await ask(model);
  expect(first.events.map((event) => event.type)).toEqual(["thinking", "text", "call", "done"]);
  expect(first.done).toMatchObject({
    stop: "tools",
    message: {
      parts: [
        { type: "thinking", text: "hm", by: "scripted/s.json" },
        { type: "text", text: "one" },
        { type: "call", id: "", tool: "read_file", input: { path: "a" } },
      ],
    },
  });
  expect(first.done?.usage.input).toBeGreaterThan(0);
  expect(first.done?.usage.output).toBeGreaterThan(0);
  expect((await ask(model)).done).toMatchObject({ stop: "end", message: { parts: [{ text: "two" }] } });
  expect((await ask(model)).done?.message.parts).toEqual([{ type: "text", text: "done" }]);
});

test("JSON Lines, a single object, repeat, usage and facts", async () => {
  const lines = await script('{"text":"a","repeat":2,"usage":{"in":1,"out":2,"read":3,"write":4}}\n\n{"text":"b"}\n', {
    models: { windows: { "scripted/s.json": { maxOutput: 4096 } } },
  });
  expect(lines.facts).toEqual({ window: 128_000, maxOutput: 4096, images: true });
  const texts = [];
  for (let i = 0; i < 4; i++) texts.push((await ask(lines)).done?.message.parts[0]);
  expect(texts.map((part) => part?.type === "text" && part.text)).toEqual(["a", "a", "b", "done"]);
  const one = await script('{"text":"only","usage":{"in":1,"out":2,"read":3,"write":4}}');
  expect((await ask(one)).done?.usage).toEqual({ input: 1, output: 2, cacheRead: 3, cacheWrite: 4 });
});

test("agents have their own parts", async () => {
  const items = { main: [{ text: "m" }], agents: { reviewer: [{ text: "r" }] } };
  const texts = [];
  for (const agent of ["main", "reviewer", "nobody"]) {
    texts.push((await ask(await script(items, { agent }))).done?.message.parts[0]);
  }
  expect(texts).toMatchObject([{ text: "m" }, { text: "r" }, { text: "done" }]);
});

test("one of several agents of a kind has a part of its own, or that of its kind", async () => {
  const items = { agents: { implement: [{ text: "any" }], backend: [{ text: "mine" }] } };
  const texts = [];
  for (const part of ["backend", "frontend", undefined]) {
    texts.push((await ask(await script(items, { agent: "implement", part }))).done?.message.parts[0]);
  }
  expect(texts).toMatchObject([{ text: "mine" }, { text: "any" }, { text: "any" }]);
});

test("an item that is skipped leaves its turn to the next one, for good", async () => {
  const model = await script([
    { match: "alpha", skip: true, text: "a" },
    { match: "beta", skip: true, text: "b" },
  ]);
  expect((await ask(model, { messages: [user("beta")] })).done?.message.parts).toEqual([{ type: "text", text: "b" }]);
  expect((await ask(model, { messages: [user("alpha")] })).done?.message.parts).toEqual([
    { type: "text", text: "done" },
  ]);
});

test("chunks are deltas of that size and delays come between them", async () => {
  const waits: number[] = [];
  const clock = { now: () => 0, mono: () => 0, sleep: async (ms: number) => void waits.push(ms) };
  const model = await script([{ text: "abcde", chunk: 2, delay_ms: 7 }], { clock });
  const { events } = await ask(model);
  expect(events.slice(0, -1)).toEqual([
    { type: "text", text: "ab" },
    { type: "text", text: "cd" },
    { type: "text", text: "e" },
  ]);
  expect(waits).toEqual([7, 7, 7]);
});

test("match looks at everything new, and a miss names item and text", async () => {
  const model = await script([{ match: "^hel+o$", text: "ok" }, { match: "beta", text: "ok" }, { match: "gamma" }]);
  expect((await ask(model)).done).toBeDefined();
  const messages = [user("hello"), { role: "assistant", parts: [] } as Message, result("alpha"), result("beta")];
  expect((await ask(model, { messages })).done).toBeDefined();
  const { fail } = await ask(model, { messages });
  expect(fail).toMatchObject({ kind: "request" });
  expect(fail?.text).toContain("Item 3");
  expect(fail?.text).toContain("/gamma/");
  expect(fail?.text).toContain("alpha\\nbeta");
});

test("files and results expand in every string", async () => {
  writeFileSync(join(dir, "body.txt"), "from the file");
  const model = await script([
    { text: "{{result:-1}} and {{result:0}}", calls: [{ tool: "write_file", input: { deep: ["{{file:body.txt}}"] } }] },
    { text: "{{file:missing.txt}}" },
    { text: "{{result:5}}" },
  ]);
  const messages = [user("go"), result("first"), result("last")];
  expect((await ask(model, { messages })).done?.message.parts).toMatchObject([
    { text: "last and first" },
    { input: { deep: ["from the file"] } },
  ]);
  expect((await ask(model, { messages })).fail?.text).toContain("missing.txt");
  expect((await ask(model, { messages })).fail?.text).toContain("{{result:5}}");
});

test("malformed calls keep their text", async () => {
  const model = await script([{ calls: [{ id: "x", tool: "write_file", raw: '{"path": "a' }] }]);
  const { done } = await ask(model);
  expect(done).toMatchObject({ stop: "tools", message: { parts: [{ id: "x", input: {}, raw: '{"path": "a' }] } });
});

test("a cut breaks the stream, or ends the message when the item says length", async () => {
  const calls = [
    { id: "a", tool: "t", input: { k: 1 } },
    { id: "b", tool: "write_file", input: { content: "abc" } },
  ];
  const model = await script([
    { text: "12345", cut_after: 3 },
    { text: "12", calls, cut_after: 2 + 7 + 4 },
    { text: "12", calls, cut_after: 2 + 7 + 4, stop: "length" },
  ]);
  expect((await ask(model)).fail).toMatchObject({
    kind: "network",
    partial: { partial: true, parts: [{ text: "123" }] },
  });
  const broken = await ask(model);
  expect(broken.fail?.partial?.parts).toMatchObject([
    { text: "12" },
    { id: "a", input: { k: 1 } },
    { id: "b", raw: '{"co' },
  ]);
  const cut = await ask(model);
  expect(cut.done).toMatchObject({
    stop: "length",
    message: { parts: [{ text: "12" }, { id: "a" }, { id: "b", raw: '{"co' }] },
  });
  expect(cut.done?.message.parts[1]).not.toHaveProperty("raw");
});

test("failures of every kind, with what was said before", async () => {
  const kinds = ["auth", "rate", "overflow", "network", "request", "refusal"] as const;
  const model = await script(
    kinds.map((fail) => ({ fail, retry_after: 2, ...(fail === "network" ? { text: "so far" } : {}) })),
  );
  for (const kind of kinds) {
    const { fail } = await ask(model);
    expect(fail).toMatchObject({ kind, retryAfter: 2000 });
    if (kind === "network") expect(fail?.partial?.parts).toEqual([{ type: "text", text: "so far" }]);
  }
});

test("an abort cancels during a delay and between chunks", async () => {
  const model = await script([
    { text: "late", delay_ms: 60_000 },
    { text: "abcdef", chunk: 1 },
  ]);
  const first = new AbortController();
  const waiting = ask(model, {}, first.signal);
  setImmediate(() => first.abort());
  expect((await waiting).fail).toMatchObject({ kind: "cancelled" });
  const second = new AbortController();
  const { fail } = await ask(model, {}, second.signal, () => second.abort());
  expect(fail).toMatchObject({ kind: "cancelled", partial: { parts: [{ text: "a" }] } });
});

test.each([
  ["not there", "scripted/none.json", undefined, "does not exist"],
  ["neither JSON nor lines", "scripted/s.json", '{"text":"a"}\n{oops', "line 2"],
  ["unknown member", "scripted/s.json", '[{"txt":"a"}]', '"txt" means nothing'],
  ["wrong type", "scripted/s.json", '[{"text":1}]', "type string"],
  ["unknown word", "scripted/s.json", '[{"fail":"boom"}]', '"boom"'],
  ["bad pattern", "scripted/s.json", '[{"match":"("}]', "regular expression"],
  ["call without tool", "scripted/s.json", '[{"calls":[{"id":"x"}]}]', "a call is"],
])("a bad script is refused when opened: %s", async (_, id, text, message) => {
  if (text !== undefined) writeFileSync(join(dir, "s.json"), text);
  await expect(open(id, { cwd: dir })).rejects.toMatchObject({
    name: "UserError",
    exit: 2,
    message: expect.stringContaining(message),
  });
});
