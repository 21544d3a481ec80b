import { afterEach, expect, test } from "vitest";
import { ask, open, user } from "../../test/support/model.js";
import { startAnthropic } from "../../test/support/wire/anthropic.js";
import type { WireReply, WireServer } from "../../test/support/wire/server.js";
import type { Message } from "../core/message.js";
import type { ModelRequest } from "../core/model.js";

const id = "anthropic/claude-sonnet-4-5";
let server: WireServer;
afterEach(() => server.close());

async function bodies(requests: Partial<ModelRequest>[], script: WireReply[] = []) {
  server = await startAnthropic(script);
  const model = await open(id, { env: { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: `${server.url}/v1/` } });
  const answers = [];
  for (const request of requests) answers.push(await ask(model, request));
  return { texts: server.requests.map(({ body }) => body), answers };
}

const tools = [
  {
    name: "read_file",
    description: "Reads.",
    input: { $schema: "https://json-schema.org/draft/2020-12/schema", type: "object", properties: {}, required: [] },
  },
];

test("the first request, byte for byte", async () => {
  const { texts } = await bodies([{ tools, marks: [{ message: 0, part: 0 }] }]);
  expect(texts[0]).toBe(
    '{"model":"claude-sonnet-4-5","max_tokens":1000,' +
      '"system":[{"type":"text","text":"stable text","cache_control":{"type":"ephemeral"}},{"type":"text","text":"context text"}],' +
      '"messages":[{"role":"user","content":[{"type":"text","text":"hello","cache_control":{"type":"ephemeral"}}]}],' +
      '"tools":[{"name":"read_file","description":"Reads.","input_schema":{"type":"object","properties":{},"required":[]}}],' +
      '"stream":true}',
  );
  expect(server.requests[0]?.path).toBe("/v1/messages");
  expect(server.requests[0]?.headers["x-api-key"]).toBe("k");
  expect(server.requests[0]?.headers["anthropic-beta"]).toBeUndefined();
  expect(server.requests[0]?.headers["accept-encoding"]).toBeUndefined();
});

test("marks sit on exactly the parts named, three at most, and the rest of the bytes stays", async () => {
  const messages: Message[] = Array.from({ length: 6 }, (_, i) =>
    i % 2 === 0 ? user(`u${i}`, `v${i}`) : reply(`a${i}`),
  );
  const at = (message: number, part = 0) => ({ message, part });
  const { texts } = await bodies([
    { messages, marks: [at(0, 1), at(2), at(4, 1), at(5)] },
    { messages, marks: [] },
  ]);
  const marked = JSON.parse(texts[0] ?? "");
  const where: string[] = marked.messages.flatMap((message: { content: { text: string; cache_control?: object }[] }) =>
    message.content.flatMap((block) => (block.cache_control ? [block.text] : [])),
  );
  expect(where).toEqual(["v0", "u2", "v4"]);
  expect(texts[0]?.match(/cache_control/g)).toHaveLength(4);
  expect(texts[0]?.replaceAll(',"cache_control":{"type":"ephemeral"}', "")).toBe(
    texts[1]?.replaceAll(',"cache_control":{"type":"ephemeral"}', ""),
  );
});

test("results, errors and images go out as blocks of the user", async () => {
  const call = { type: "call" as const, id: "t1", tool: "read_file", input: { path: "x" } };
  const messages: Message[] = [
    { role: "user", parts: [{ type: "image", mediaType: "image/png", data: "AAAA" }] },
    { role: "assistant", parts: [call, { ...call, id: "t2" }] },
    {
      role: "tool",
      parts: [
        { type: "result", callId: "t1", tool: "read_file", text: "fine", isError: false },
        { type: "result", callId: "t2", tool: "read_file", text: "bad", isError: true },
      ],
    },
    { role: "user", origin: "harness", parts: [{ type: "text", text: "note" }] },
  ];
  const { texts } = await bodies([{ messages, tools, marks: [{ message: 2, part: 1 }] }]);
  expect(JSON.parse(texts[0] ?? "").messages).toEqual([
    { role: "user", content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } }] },
    {
      role: "assistant",
      content: [
        { type: "tool_use", id: "t1", name: "read_file", input: { path: "x" } },
        { type: "tool_use", id: "t2", name: "read_file", input: { path: "x" } },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "t1", content: "fine" },
        {
          type: "tool_result",
          tool_use_id: "t2",
          content: "bad",
          is_error: true,
          cache_control: { type: "ephemeral" },
        },
        { type: "text", text: "note" },
      ],
    },
  ]);
});

test("signed and redacted thinking comes back verbatim and first; blank texts are left out", async () => {
  const script: WireReply[] = [
    {
      thinking: { text: "", signature: "sigA" },
      redacted: "blob",
      text: " ",
      calls: [{ id: "t1", name: "read_file", input: {} }],
    },
  ];
  server = await startAnthropic(script);
  const model = await open(id, { env: { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.url } });
  const { done } = await ask(model, { tools });
  const message = JSON.parse(JSON.stringify(done?.message)) as Message;
  const result: Message = {
    role: "tool",
    parts: [{ type: "result", callId: "t1", tool: "read_file", text: "r", isError: false }],
  };
  await ask(model, { tools, messages: [user("hello"), message, result] });
  expect(JSON.parse(server.requests[1]?.body ?? "").messages[1]).toEqual({
    role: "assistant",
    content: [
      { type: "thinking", thinking: "", signature: "sigA" },
      { type: "redacted_thinking", data: "blob" },
      { type: "tool_use", id: "t1", name: "read_file", input: {} },
    ],
  });
});

test("usage: cached tokens apart, nonsense counts as nothing", async () => {
  const { answers } = await bodies(
    [{}, {}, {}],
    [
      { text: "a", usage: { input: 3, output: 4, read: 100, write: 20 } },
      { text: "a", usage: { input: -5, output: 4, read: -100, write: 1e12 } },
      {
        events: [
          {
            type: "message_start",
            message: { id: "m", model: "x", role: "assistant", content: [], usage: { input_tokens: 1 } },
          },
          { type: "brand_new_event", detail: { of: "tomorrow" } },
          { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
          { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "ok" } },
          { type: "content_block_stop", index: 0 },
          { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
          { type: "message_stop" },
        ],
      },
    ],
  );
  expect(answers[0]?.done?.usage).toEqual({ input: 3, output: 4, cacheRead: 100, cacheWrite: 20 });
  expect(answers[1]?.done?.usage).toEqual({ input: 0, output: 4, cacheRead: 0, cacheWrite: 0 });
  expect(answers[2]?.done).toMatchObject({ stop: "end", message: { parts: [{ text: "ok" }] } });
});

test("an error inside the stream keeps its kind", async () => {
  const start = {
    type: "message_start",
    message: { id: "m", model: "x", role: "assistant", content: [], usage: { input_tokens: 1, output_tokens: 1 } },
  };
  const text = [
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "par" } },
  ];
  const failing = (type: string) => ({
    events: [start, ...text, { type: "error", error: { type, message: "sorry" } }],
  });
  const { answers } = await bodies(
    [{}, {}, {}],
    [failing("overloaded_error"), failing("rate_limit_error"), failing("api_error")],
  );
  expect(answers.map(({ fail }) => fail?.kind)).toEqual(["network", "rate", "network"]);
  expect(answers[0]?.fail?.partial?.parts).toEqual([{ type: "text", text: "par" }]);
});

test("the body of a thousand messages is the body of its parts: nothing is lost to the conversion cache", async () => {
  const messages: Message[] = Array.from({ length: 1000 }, (_, i) => (i % 2 === 0 ? user(`u${i}`) : reply(`a${i}`)));
  const { texts } = await bodies([{ messages }, { messages: [...messages, user("next")] }]);
  const [before = "", after = ""] = texts;
  const cut = before.lastIndexOf("]}]");
  expect(after.startsWith(before.slice(0, cut))).toBe(true);
  expect(JSON.parse(after).messages).toHaveLength(1001);
});

function reply(text: string): Message {
  return { role: "assistant", parts: [{ type: "text", text }] };
}
