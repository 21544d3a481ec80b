// What every protocol must do alike, each against a server that speaks its wire format.

import { expect, onTestFinished, test } from "vitest";
import { ask, user } from "../../test/support/model.js";
import { startAnthropic } from "../../test/support/wire/anthropic.js";
import { requestFaults } from "../../test/support/wire/faults.js";
import { protocols, secret } from "../../test/support/wire/protocols.js";
import { serve } from "../../test/support/wire/served.js";
import type { Message } from "../core/message.js";

/** Bedrock drops calls from a conversation that declares no tools. */
const tools = [{ name: "read_file", description: "reads", input: { $schema: "x", type: "object", properties: {} } }];

const calls = [
  { id: "c1", name: "read_file", input: { path: "a.txt" } },
  { id: "c2", name: "run_command", input: { command: "echo 'ü'" } },
];

test.each(protocols)("$name: text and parallel calls arrive in pieces and whole", async (one) => {
  const { model } = await serve(one, [
    { text: "Let me look at that.", calls, usage: { input: 7, output: 9, read: 64 } },
  ]);
  const { events, done } = await ask(model);
  const text = events.map((event) => (event.type === "text" ? event.text : "")).join("");
  expect(text).toBe("Let me look at that.");
  expect(done?.stop).toBe("tools");
  expect(done?.usage).toMatchObject({ input: 7, output: 9, cacheRead: 64 });
  expect(done?.message.parts.map((part) => part.type)).toEqual(["text", "call", "call"]);
  expect(done?.message.parts.slice(1)).toMatchObject([
    { id: "c1", tool: "read_file", input: { path: "a.txt" } },
    { id: "c2", tool: "run_command", input: { command: "echo 'ü'" } },
  ]);
  const pieces = events.flatMap((event) => (event.type === "call" && event.id === "c2" ? [event.text] : []));
  expect(JSON.parse(pieces.join(""))).toEqual({ command: "echo 'ü'" });
});

test.each(protocols)("$name: a plain answer ends", async (one) => {
  const { model, server } = await serve(one, [{ text: "done" }]);
  const { done } = await ask(model, { tools, maxOutput: 321 });
  expect(done).toMatchObject({ stop: "end", message: { role: "assistant", parts: [{ type: "text", text: "done" }] } });
  expect(server.requests[0]?.body).toMatch(/"(max_tokens|max_output_tokens|maxOutputTokens|maxTokens)":321/);
  expect(server.requests[0]?.body).not.toContain("$schema");
  expect(server.requests).toHaveLength(1);
});

test.each(protocols)("$name: length and refusal are told apart", async (one) => {
  const { model } = await serve(one, [
    { text: "half of a sen", stop: "length" },
    { text: "no", stop: "refusal" },
  ]);
  expect((await ask(model)).done?.stop).toBe("length");
  expect((await ask(model)).done?.stop).toBe("refusal");
});

test.each(protocols.filter((one) => !one.wholeCalls))(
  "$name: broken and cut arguments stay as received",
  async (one) => {
    const raw = '{"path": "a.txt", "content": "one\\ntw';
    const { model, server } = await serve(one, [
      { calls: [{ id: "c1", name: "write_file", raw: '{"path": oops}' }, calls[1] as (typeof calls)[1]] },
      { calls: [{ id: "c3", name: "write_file", raw }], stop: "length" },
      { text: "done" },
    ]);
    const first = await ask(model);
    expect(first.done?.message.parts).toMatchObject([
      { type: "call", id: "c1", input: {}, raw: '{"path": oops}' },
      { type: "call", id: "c2", input: { command: "echo 'ü'" } },
    ]);
    const second = await ask(model);
    expect(second.done).toMatchObject({ stop: "length", message: { parts: [{ id: "c3", input: {}, raw }] } });
    const results: Message = {
      role: "tool",
      parts: [{ type: "result", callId: "c3", tool: "write_file", text: "not run", isError: true }],
    };
    await ask(model, { tools, messages: [user("go"), second.done?.message as Message, results] });
    const body = server.requests[2]?.body ?? "";
    expect(body).not.toContain("tw");
    expect(body).toMatch(/"input":\{\}|"arguments":"\{\}"/);
  },
);

test.each(protocols)("$name: duplicate ids stay two calls", async (one) => {
  const twice = [calls[0], calls[0]] as (typeof calls)[0][];
  const { model } = await serve(one, [{ calls: twice }]);
  const { done, fail } = await ask(model);
  // Two identical calls may be sent under one id or merged by the protocol; what matters is that nothing is lost or run wrong.
  expect(fail).toBeUndefined();
  const got = done?.message.parts.filter((part) => part.type === "call") ?? [];
  expect(got.length).toBeGreaterThan(0);
  for (const call of got) expect(call).toMatchObject({ tool: "read_file", input: { path: "a.txt" } });
});

test.each(protocols)("$name: 401 is a refused key, and the key is nowhere", async (one) => {
  const error = { type: "authentication_error", message: `invalid key ${secret} (sk-abcdef123456)` };
  const { model, server } = await serve(one, [{ status: 401, error }]);
  const { events, fail } = await ask(model);
  expect(fail).toMatchObject({ kind: "auth", status: 401 });
  expect(fail?.text).toContain(one.id);
  expect(JSON.stringify(events)).not.toContain(secret);
  expect(JSON.stringify(events)).not.toContain("sk-abcdef");
  expect(server.requests).toHaveLength(1);
});

test.each(protocols)("$name: 429 says how long to wait, in seconds or as a date", async (one) => {
  const clock = { now: () => Date.parse("2026-01-01T00:00:00Z"), mono: () => 0, sleep: () => Promise.resolve() };
  const limited = (value: string) => ({
    status: 429,
    headers: { "retry-after": value },
    error: { message: "slow down" },
  });
  const { model, server } = await serve(one, [limited("7"), limited("Thu, 01 Jan 2026 00:00:30 GMT")], { clock });
  expect((await ask(model)).fail).toMatchObject({ kind: "rate", retryAfter: 7000, status: 429 });
  expect((await ask(model)).fail).toMatchObject({ kind: "rate", retryAfter: 30_000 });
  expect(server.requests).toHaveLength(2);
});

test.each(protocols)("$name: server errors are the network's, others the request's", async (one) => {
  const failing = (status: number) => ({ status, error: { message: "went wrong" } });
  const { model, server } = await serve(one, [failing(500), failing(529), failing(404)]);
  expect((await ask(model)).fail).toMatchObject({ kind: "network", status: 500 });
  expect((await ask(model)).fail).toMatchObject({ kind: "network", status: 529 });
  const last = await ask(model);
  expect(last.fail).toMatchObject({ kind: "request", status: 404 });
  expect(last.fail?.text).toContain("went wrong");
  expect(server.requests).toHaveLength(3);
});

const tooLong: Record<string, string> = {
  anthropic: "prompt is too long: 210000 tokens > 200000 maximum",
  chat: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
  responses: "Your input exceeds the context window of this model. Please adjust your input and try again.",
  google: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  bedrock: "Input is too long for requested model.",
};

test.each(protocols)("$name: a request that is too long is an overflow", async (one) => {
  const { model } = await serve(one, [
    { status: 400, error: { type: "invalid_request_error", message: tooLong[one.name] ?? "" } },
    { status: 400, error: { type: "invalid_request_error", message: "tools.0.name: must match a pattern" } },
  ]);
  expect((await ask(model)).fail).toMatchObject({ kind: "overflow", status: 400 });
  expect((await ask(model)).fail).toMatchObject({ kind: "request", status: 400 });
});

test.each(protocols)("$name: a redirect is not followed", async (one) => {
  const elsewhere = await startAnthropic();
  onTestFinished(() => elsewhere.close());
  const { model } = await serve(one, [{ status: 307, headers: { location: `${elsewhere.url}/v1/messages` } }]);
  const { fail } = await ask(model);
  expect(fail).toMatchObject({ kind: "request", status: 307 });
  expect(fail?.text).toContain("redirect");
  expect(elsewhere.requests).toHaveLength(0);
});

test.each(protocols)("$name: a cut in the text leaves what arrived", async (one) => {
  const { model } = await serve(one, [
    { text: "one two three four five six seven eight nine ten", chunk: 4, cutAfter: 6 },
  ]);
  const { fail } = await ask(model);
  expect(fail?.kind).toBe("network");
  const part = fail?.partial?.parts[0];
  expect(fail?.partial?.partial).toBe(true);
  expect(part?.type === "text" && "one two three four five six seven eight nine ten".startsWith(part.text)).toBe(true);
  expect(part?.type === "text" && part.text.length).toBeGreaterThan(0);
});

test.each(protocols.filter((one) => !one.wholeCalls))("$name: a cut in a call leaves its text", async (one) => {
  const input = { path: "a.txt", content: "line one\nline two\nline three\n" };
  const { model } = await serve(one, [{ calls: [{ id: "c1", name: "write_file", input }], chunk: 4, cutAfter: 9 }]);
  const { fail } = await ask(model);
  const part = fail?.partial?.parts[0];
  expect(fail?.kind).toBe("network");
  expect(part).toMatchObject({ type: "call", tool: "write_file", input: {} });
  expect(part?.type === "call" && part.raw).toBeTruthy();
  expect(part?.type === "call" && JSON.stringify(input).startsWith(part.raw ?? "?")).toBe(true);
});

test.each(protocols)("$name: a server that closes without an answer is the network's fault", async (one) => {
  const { model } = await serve(one, [{ text: "x", cutAfter: 0 }]);
  expect((await ask(model)).fail?.kind).toBe("network");
});

test.each(protocols)("$name: silence before the first byte ends the request", async (one) => {
  const { model } = await serve(one, [{ stallAfter: -1 }], { stall: { firstByte: 60, betweenBytes: 10_000 } });
  expect((await ask(model)).fail).toMatchObject({ kind: "network", text: expect.stringContaining("60 ms") });
});

test.each(protocols)("$name: silence after the first byte ends the request", async (one) => {
  const stall = { firstByte: 10_000, betweenBytes: 40 };
  const { model, server } = await serve(one, [{ text: "one two three", chunk: 2, stallAfter: 4 }], { stall });
  expect((await ask(model)).fail).toMatchObject({ kind: "network", text: expect.stringContaining("40 ms") });
  await server.closed(0);
});

test.each(protocols)(
  "$name: a connection that is kept alive without a piece of the answer is given up",
  async (one) => {
    const stall = { firstByte: 1_000, betweenBytes: 10_000, betweenParts: 1_000 };
    const { model, server } = await serve(one, [{ text: "x", stallAfter: 0, drip: ": still here\n\n" }], { stall });
    const { fail } = await ask(model);
    expect(fail).toMatchObject({
      kind: "network",
      text: expect.stringContaining("nothing of the answer came for 1 s"),
    });
    await server.closed(0);
  },
);

test.each(protocols)("$name: an abort cancels and closes the connection", async (one) => {
  const { model, server } = await serve(one, [{ text: "one two three", chunk: 2, stallAfter: 4 }]);
  const controller = new AbortController();
  const { fail } = await ask(model, {}, controller.signal, (event) => {
    if (event.type === "text") controller.abort();
  });
  expect(fail).toMatchObject({ kind: "cancelled", partial: { partial: true } });
  await server.closed(0);
});

test.each(protocols)("$name: an abort before the answer cancels too", async (one) => {
  const { model, server } = await serve(one, [{ stallAfter: -1 }]);
  const controller = new AbortController();
  const answer = ask(model, {}, controller.signal);
  while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
  controller.abort();
  expect((await answer).fail).toEqual({ type: "fail", kind: "cancelled", text: "The request was cancelled." });
  await server.closed(0);
});

test.each(protocols)("$name: nobody listening is the network's fault", async (one) => {
  const { model, server } = await serve(one, []);
  await server.close();
  const { fail } = await ask(model);
  expect(fail?.kind).toBe("network");
  expect(fail?.text).toContain("ECONNREFUSED");
});

test.each(protocols.filter((one) => one.signs))("$name: thinking goes back signed, to its model only", async (one) => {
  const thinking = { text: "I should look first.", signature: "c2lnbmVk" };
  const { model, server } = await serve(one, [{ thinking, calls: [calls[0] as (typeof calls)[0]] }, {}, {}]);
  const { done, events } = await ask(model);
  expect(events.map((event) => (event.type === "thinking" ? event.text : "")).join("")).toBe(thinking.text);
  const message = done?.message as Message;
  expect(message.parts[0]).toMatchObject({ type: "thinking", text: thinking.text, by: one.id });
  const result: Message = {
    role: "tool",
    parts: [{ type: "result", callId: "c1", tool: "read_file", text: "content", isError: false }],
  };
  await ask(model, { tools, messages: [user("go"), message, result] });
  const body = server.requests[1]?.body ?? "";
  expect(body).toContain("c2lnbmVk");
  expect(body.indexOf("c2lnbmVk")).toBeLessThan(body.lastIndexOf('"c1"'));
  const foreign: Message = {
    ...message,
    parts: message.parts.map((part) => (part.type === "thinking" ? { ...part, by: "other/model" } : part)),
  };
  await ask(model, { tools, messages: [user("go"), foreign, result] });
  const dropped = server.requests[2]?.body ?? "";
  expect(dropped).not.toContain("c2lnbmVk");
  expect(dropped).not.toContain("I should look first");
  expect(dropped).toContain("read_file");
});

test.each(protocols)("$name: a conversation with parallel calls is one that the provider takes", async (one) => {
  const { model, server } = await serve(one, [{ text: "done" }]);
  const call = (id: string) => ({ type: "call" as const, id, tool: "read_file", input: { path: id } });
  const result = (callId: string): Message => ({
    role: "tool",
    parts: [{ type: "result", callId, tool: "read_file", text: "x", isError: false }],
  });
  const messages: Message[] = [
    user("go"),
    { role: "assistant", parts: [{ type: "text", text: "looking" }, call("a"), call("b")] },
    result("a"),
    result("b"),
    user("and?"),
  ];
  await ask(model, { messages, tools });
  expect(requestFaults(one.name, server.requests[0]?.body ?? "")).toEqual([]);
  const cut = await serve(one, [{ text: "done" }]);
  await ask(cut.model, { messages: messages.toSpliced(3, 1), tools });
  expect(requestFaults(one.name, cut.server.requests[0]?.body ?? "").join()).toMatch(/answers \[a\] where \[a,b\]/);
});
