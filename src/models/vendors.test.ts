// Responses, Gemini and Bedrock: the bytes of their requests, and what only they do.

import { afterEach, expect, test } from "vitest";
import { ask, open, user } from "../../test/support/model.js";
import { startBedrock } from "../../test/support/wire/bedrock.js";
import { startGoogle } from "../../test/support/wire/google.js";
import { startResponses } from "../../test/support/wire/responses.js";
import type { WireServer } from "../../test/support/wire/server.js";
import type { Message } from "../core/message.js";

let server: WireServer;
afterEach(() => server?.close());

const tools = [{ name: "read_file", description: "Reads.", input: { $schema: "x", type: "object", properties: {} } }];
const result: Message = {
  role: "tool",
  parts: [{ type: "result", callId: "c1", tool: "read_file", text: "r", isError: false }],
};

test("Responses: stateless, with encrypted reasoning asked for and sent back in order", async () => {
  const thinking = { text: "hm", signature: "ENCRYPTED" };
  server = await startResponses([{ thinking, text: "looking", calls: [{ id: "c1", name: "read_file", input: {} }] }]);
  const model = await open("openai/gpt-5.2", { env: { OPENAI_API_KEY: "k", OPENAI_BASE_URL: `${server.url}/v1` } });
  const { done } = await ask(model, { tools });
  const first = JSON.parse(server.requests[0]?.body ?? "");
  expect(first).toEqual({
    model: "gpt-5.2",
    input: [
      { role: "developer", content: "stable text\n\ncontext text" },
      { role: "user", content: [{ type: "input_text", text: "hello" }] },
    ],
    max_output_tokens: 1000,
    store: false,
    include: ["reasoning.encrypted_content"],
    tools: [
      { type: "function", name: "read_file", description: "Reads.", parameters: { type: "object", properties: {} } },
    ],
    stream: true,
  });
  const message = JSON.parse(JSON.stringify(done?.message)) as Message;
  await ask(model, { tools, messages: [user("hello"), message, result] });
  const second = JSON.parse(server.requests[1]?.body ?? "");
  expect(second.input.slice(2)).toEqual([
    { type: "reasoning", id: "rs_1", encrypted_content: "ENCRYPTED", summary: [{ type: "summary_text", text: "hm" }] },
    { role: "assistant", id: "msg_1", content: [{ type: "output_text", text: "looking" }] },
    { type: "function_call", call_id: "c1", name: "read_file", arguments: "{}" },
    { type: "function_call_output", call_id: "c1", output: "r" },
  ]);
  expect(server.requests[1]?.body.startsWith(server.requests[0]?.body.slice(0, 120) ?? "?")).toBe(true);
});

test("Gemini: one systemInstruction, and signatures of thought go back verbatim", async () => {
  const call = { id: "c1", name: "read_file", input: { path: "x" }, signature: "SIGNED" };
  server = await startGoogle([{ thinking: { text: "hm" }, calls: [call] }]);
  const env = { GEMINI_API_KEY: "secret-key", GOOGLE_GEMINI_BASE_URL: server.url };
  const model = await open("google/gemini-3-pro-preview", { env });
  const { done } = await ask(model, { tools });
  const first = JSON.parse(server.requests[0]?.body ?? "");
  expect(first.systemInstruction).toEqual({ parts: [{ text: "stable text" }, { text: "context text" }] });
  expect(first.contents).toEqual([{ role: "user", parts: [{ text: "hello" }] }]);
  expect(first.generationConfig).toEqual({ maxOutputTokens: 1000 });
  expect(server.requests[0]?.path).toBe("/v1beta/models/gemini-3-pro-preview:streamGenerateContent?alt=sse");
  expect(server.requests[0]?.headers["x-goog-api-key"]).toBe("secret-key");
  const message = JSON.parse(JSON.stringify(done?.message)) as Message;
  await ask(model, { tools, messages: [user("hello"), message, result] });
  const second = server.requests[1]?.body ?? "";
  expect(second).toContain('"thoughtSignature":"SIGNED"');
  expect(second).toContain('"functionCall"');
});

test("Gemini: RetryInfo in the body says how long to wait", async () => {
  const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.074824224s" }];
  const body = JSON.stringify({ error: { code: 429, message: "quota", status: "RESOURCE_EXHAUSTED", details } });
  server = await startGoogle([{ status: 429, body }]);
  const model = await open("google/x", { env: { GEMINI_API_KEY: "k", GOOGLE_GEMINI_BASE_URL: server.url } });
  expect((await ask(model)).fail).toMatchObject({ kind: "rate", retryAfter: 34_075 });
});

test("Bedrock: cache points on the stable block and where the request puts them; signed or with a bearer key", async () => {
  server = await startBedrock([{ text: "ok", usage: { input: 2, output: 3, read: 100, write: 50 } }]);
  const env = {
    AWS_ACCESS_KEY_ID: "AKIAEXAMPLE",
    AWS_SECRET_ACCESS_KEY: "secret",
    AWS_REGION: "eu-central-1",
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: server.url,
  };
  const model = await open("bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0", { env });
  const { done } = await ask(model, { tools, marks: [{ message: 0, part: 0 }] });
  expect(done?.usage).toEqual({ input: 2, output: 3, cacheRead: 100, cacheWrite: 50 });
  const body = JSON.parse(server.requests[0]?.body ?? "");
  const cachePoint = { type: "default" };
  expect(body.system).toEqual([{ text: "stable text" }, { cachePoint }, { text: "context text" }]);
  expect(body.messages).toEqual([{ role: "user", content: [{ text: "hello" }, { cachePoint }] }]);
  expect(body.inferenceConfig).toEqual({ maxTokens: 1000 });
  expect(server.requests[0]?.headers.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE\/\d+\/eu-central-1\//,
  );
  expect(decodeURIComponent(server.requests[0]?.path ?? "")).toBe(
    "/model/eu.anthropic.claude-sonnet-4-5-20250929-v1:0/converse-stream",
  );
});

test("Bedrock: Nova gets no more than 5,120 tokens and no cache points", async () => {
  server = await startBedrock();
  const env = { AWS_BEARER_TOKEN_BEDROCK: "bearer", AWS_ENDPOINT_URL_BEDROCK_RUNTIME: server.url };
  const windows = { "us.amazon.nova-pro-v1:0": { maxOutput: 10_000 } };
  const model = await open("bedrock/us.amazon.nova-pro-v1:0", { env, models: { windows } });
  await ask(model, { maxOutput: 10_000, marks: [{ message: 0, part: 0 }] });
  expect(JSON.parse(server.requests[0]?.body ?? "").inferenceConfig).toEqual({ maxTokens: 5120 });
  expect(server.requests[0]?.body).not.toContain("cachePoint");
  expect(server.requests[0]?.headers.authorization).toBe("Bearer bearer");
});

test("Bedrock: exceptions inside the stream keep their kind", async () => {
  const failing = (type: string) => ({
    events: [{ messageStart: { role: "assistant" } }, { [type]: { message: "sorry" } }],
  });
  server = await startBedrock([failing("throttlingException"), failing("serviceUnavailableException")]);
  const env = { AWS_BEARER_TOKEN_BEDROCK: "bearer", AWS_ENDPOINT_URL_BEDROCK_RUNTIME: server.url };
  const model = await open("bedrock/anthropic.claude-sonnet-4-5", { env });
  expect((await ask(model)).fail?.kind).toBe("network");
  expect((await ask(model)).fail?.kind).toBe("network");
});

test("Bedrock: half of the static keys is named", async () => {
  const opening = open("bedrock/amazon.nova-pro-v1:0", { env: { AWS_ACCESS_KEY_ID: "AKIA" } });
  await expect(opening).rejects.toMatchObject({ exit: 3, message: expect.stringContaining("AWS_SECRET_ACCESS_KEY") });
});
