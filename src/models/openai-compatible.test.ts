import { afterEach, expect, test } from "vitest";
import { ask, open, user } from "../../test/support/model.js";
import { startChat } from "../../test/support/wire/chat.js";
import type { WireServer } from "../../test/support/wire/server.js";
import { UserError } from "../core/errors.js";
import type { Message } from "../core/message.js";

let server: WireServer;
afterEach(() => server?.close());

test("the first request, byte for byte: one system message, no marks", async () => {
  server = await startChat();
  const model = await open("openai-compatible/test", { env: { OPENAI_BASE_URL: `${server.url}/v1` } });
  const tools = [{ name: "read_file", description: "Reads.", input: { $schema: "x", type: "object", properties: {} } }];
  await ask(model, { tools, marks: [{ message: 0, part: 0 }] });
  expect(server.requests[0]?.body).toBe(
    '{"model":"test","max_tokens":1000,"messages":[' +
      '{"role":"system","content":"stable text\\n\\ncontext text"},{"role":"user","content":"hello"}],' +
      '"tools":[{"type":"function","function":{"name":"read_file","description":"Reads.","parameters":{"type":"object","properties":{}}}}],' +
      '"stream":true,"stream_options":{"include_usage":true}}',
  );
  expect(server.requests[0]?.path).toBe("/v1/chat/completions");
  expect(server.requests[0]?.headers.authorization).toBeUndefined();
});

test("adjacent parts and messages of the user are joined with a blank line", async () => {
  server = await startChat();
  const model = await open("openai-compatible/test", {
    env: { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: "k1" },
    models: { images: { test: true } },
  });
  const image = { type: "image" as const, mediaType: "image/png", data: "AAAA" };
  const messages: Message[] = [
    user("one", "two"),
    user("three"),
    { role: "assistant", parts: [{ type: "text", text: "yes" }] },
    { role: "user", parts: [{ type: "text", text: "see" }, image] },
  ];
  await ask(model, { messages });
  expect(JSON.parse(server.requests[0]?.body ?? "").messages.slice(1)).toEqual([
    { role: "user", content: "one\n\ntwo\n\nthree" },
    { role: "assistant", content: "yes" },
    {
      role: "user",
      content: [
        { type: "text", text: "see" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
      ],
    },
  ]);
  expect(server.requests[0]?.headers.authorization).toBe("Bearer k1");
});

test("reasoning is read, and sent back to the same model only", async () => {
  server = await startChat([{ thinking: { text: "let me think" }, text: "answer" }]);
  const model = await open("openai-compatible/test", { env: { OPENAI_BASE_URL: server.url } });
  const { done } = await ask(model);
  expect(done?.message.parts).toEqual([
    { type: "thinking", text: "let me think", by: "openai-compatible/test" },
    { type: "text", text: "answer" },
  ]);
  const other = await open("openai-compatible/other", { env: { OPENAI_BASE_URL: server.url } });
  const messages = [user("hello"), done?.message as Message, user("more")];
  await ask(model, { messages });
  await ask(other, { messages });
  expect(server.requests[1]?.body).toContain('"reasoning_content":"let me think"');
  expect(server.requests[2]?.body).not.toContain("let me think");
});

test("a server that says stop after calls still means calls", async () => {
  server = await startChat([{ calls: [{ id: "c1", name: "read_file", input: {} }], stop: "end" }]);
  const model = await open("openai-compatible/test", { env: { OPENAI_BASE_URL: server.url } });
  expect((await ask(model)).done?.stop).toBe("tools");
});

test("missing usage counts as nothing", async () => {
  const chunk = (delta: object, finish_reason: string | null) => ({ choices: [{ index: 0, delta, finish_reason }] });
  server = await startChat([{ events: [chunk({ content: "hi" }, null), chunk({}, "stop")] }]);
  const model = await open("openai-compatible/test", { env: { OPENAI_BASE_URL: server.url } });
  const { done } = await ask(model);
  expect(done?.usage).toEqual({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 });
});

test("without key and address the id finds the local server that has the model", async () => {
  server = await startChat([], ["qwen3:8b", "vendor/llama"]);
  const localServers = [
    { name: "nothing", port: 1 },
    { name: "Ollama", port: Number(new URL(server.url).port) },
  ];
  const model = await open("openai-compatible/vendor/llama", { localServers });
  expect((await ask(model)).done?.stop).toBe("end");
  expect(JSON.parse(server.requests.at(-1)?.body ?? "").model).toBe("vendor/llama");
  const missing = open("openai-compatible/gpt-oss", { localServers });
  await expect(missing).rejects.toThrow(UserError);
  await expect(missing).rejects.toMatchObject({ exit: 3, fix: expect.stringContaining("openai-compatible/qwen3:8b") });
});

test("a key goes only where it belongs", async () => {
  server = await startChat();
  const env = { OPENAI_BASE_URL: server.url, OPENROUTER_API_KEY: "router-key" };
  await ask(await open("openai-compatible/test", { env }));
  expect(server.requests[0]?.headers.authorization).toBeUndefined();
  const seen: string[] = [];
  const fetch = (url: string | URL) => {
    seen.push(String(url));
    return Promise.reject(new Error("no network here"));
  };
  await ask(await open("openrouter/a/b", { env, fetch }));
  await ask(await open("openai-compatible/a/b", { env: { OPENROUTER_API_KEY: "router-key" }, fetch }));
  await ask(await open("openai-compatible/gpt-5", { env: { OPENAI_API_KEY: "k", OPENROUTER_API_KEY: "r" }, fetch }));
  expect(seen).toEqual([
    "https://openrouter.ai/api/v1/chat/completions",
    "https://openrouter.ai/api/v1/chat/completions",
    "https://api.openai.com/v1/chat/completions",
  ]);
  await expect(open("openrouter/a/b", { env: { OPENAI_API_KEY: "k" } })).rejects.toMatchObject({
    exit: 3,
    message: expect.stringContaining("OPENROUTER_API_KEY"),
  });
});
