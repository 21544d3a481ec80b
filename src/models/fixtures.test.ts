// Streams recorded from real providers, played through the test servers. They are not part of the project: without the
// folder beside it these tests are skipped, and the project's own shorter streams (protocols.test.ts) have to do.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { ask, open } from "../../test/support/model.js";
import { startAnthropic } from "../../test/support/wire/anthropic.js";
import { startBedrock } from "../../test/support/wire/bedrock.js";
import { startChat } from "../../test/support/wire/chat.js";
import { startGoogle } from "../../test/support/wire/google.js";
import { startResponses } from "../../test/support/wire/responses.js";
import type { WireReply, WireServer } from "../../test/support/wire/server.js";
import type { Message } from "../core/message.js";

const folder = join(process.cwd(), "..", "shared", "fixtures", "streams");
const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".chunks.txt")) : [];

interface Vendor {
  id: string;
  start(script: readonly WireReply[]): Promise<WireServer>;
  env(url: string): Record<string, string>;
}

const chat: Vendor = { id: "openai-compatible/test", start: startChat, env: (url) => ({ OPENAI_BASE_URL: url }) };
const responses: Vendor = {
  id: "openai/gpt-5.2",
  start: startResponses,
  env: (url) => ({ OPENAI_API_KEY: "k", OPENAI_BASE_URL: url }),
};
const vendors: Record<string, Vendor> = {
  anthropic: {
    id: "anthropic/claude-sonnet-4-5",
    start: startAnthropic,
    env: (url) => ({ ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: url }),
  },
  "amazon-bedrock": {
    id: "bedrock/anthropic.claude-sonnet-4-5",
    start: startBedrock,
    env: (url) => ({ AWS_BEARER_TOKEN_BEDROCK: "k", AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url }),
  },
  google: {
    id: "google/gemini-2.5-flash",
    start: startGoogle,
    env: (url) => ({ GEMINI_API_KEY: "k", GOOGLE_GEMINI_BASE_URL: url }),
  },
  openai: responses,
  azure: responses,
  deepseek: chat,
  groq: chat,
  mistral: chat,
  xai: chat,
};

/** Streams that are broken on purpose, or end where a provider would not: how they must end here. */
const odd: Record<string, string> = {
  "anthropic--spliced-message-start": "network",
  "openai--openai-error.1": "any",
  "google--google-stream-tool-call-array-arguments-missing-terminal-function-call": "any",
};

/** What none of our requests can cause: a completion model, tools of free text; and a file that is not JSON Lines. */
const foreign = new Set([
  "openai--openai-completion-text",
  "openai--openai-custom-tool.1",
  "openai--parallel-tool-call-wrapper.1",
]);

let server: WireServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

describe.skipIf(files.length === 0)("recorded streams", () => {
  const names = files.map((file) => file.replace(".chunks.txt", "")).filter((name) => !foreign.has(name));
  test.each(names)("%s", async (name) => {
    const vendor = vendors[name.split("--")[0] ?? ""];
    if (!vendor) return;
    const lines = readFileSync(join(folder, `${name}.chunks.txt`), "utf8").split("\n");
    const events = lines.filter((line) => line.trim() !== "").map((line) => JSON.parse(line) as unknown);
    server = await vendor.start([{ events }]);
    const model = await open(vendor.id, { env: vendor.env(server.url) });
    const { events: seen, done, fail } = await ask(model);
    const expected = odd[name];
    if (expected === "any") return expect(done ?? fail).toBeDefined();
    if (expected) return expect(fail?.kind).toBe(expected);
    expect(fail).toBeUndefined();
    const message = done?.message as Message;
    const streamed = seen.map((event) => (event.type === "text" ? event.text : "")).join("");
    expect(message.parts.map((part) => (part.type === "text" ? part.text : "")).join("")).toBe(streamed);
    for (const part of message.parts) if (part.type === "call") expect(part.raw).toBeUndefined();
    expect(JSON.parse(JSON.stringify(message))).toEqual(message);
    // What came in can go out again.
    const calls = message.parts.filter((part) => part.type === "call");
    const tools = calls.map(({ tool }) => ({ name: tool, description: "d", input: { type: "object" } }));
    const results = calls.map(({ id, tool }) => ({
      type: "result" as const,
      callId: id,
      tool,
      text: "r",
      isError: false,
    }));
    const next: Message[] = results.length > 0 ? [{ role: "tool", parts: results }] : [];
    const again = await ask(model, {
      tools,
      messages: [{ role: "user", parts: [{ type: "text", text: "q" }] }, message, ...next],
    });
    expect(again.fail).toBeUndefined();
    return undefined;
  });
});
