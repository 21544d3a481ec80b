import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Answer, ask, open, user } from "../../test/support/model.js";
import { startAnthropic } from "../../test/support/wire/anthropic.js";
import { startBedrock } from "../../test/support/wire/bedrock.js";
import { startChat } from "../../test/support/wire/chat.js";
import { startGoogle } from "../../test/support/wire/google.js";
import { startResponses } from "../../test/support/wire/responses.js";
import type { WireReply, WireServer } from "../../test/support/wire/server.js";
import { firstDifference, withoutMarks } from "./cassette.js";

const secret = "very-secret-key-123";
let dir: string;
let server: WireServer | undefined;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "cinch-cassette-"));
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(dir, { recursive: true, force: true });
});

const script = [
  { text: "first", calls: [{ id: "c1", name: "read_file", input: { path: "x" } }] },
  { status: 429, headers: { "retry-after": "3" }, error: { message: "slow" } },
  { text: "cut off here, in the middle", chunk: 3, cutAfter: 5 },
  { text: "last" },
];
const tools = [{ name: "read_file", description: "Reads.", input: { type: "object", properties: {} } }];
const marks = [{ message: 0, part: 0 }];

type Vendor = [
  id: string,
  start: (script: readonly WireReply[]) => Promise<WireServer>,
  keyEnv: string,
  baseEnv: string,
];
const vendors: Vendor[] = [
  ["anthropic/claude-sonnet-4-5", startAnthropic, "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"],
  ["openai-compatible/test", startChat, "OPENAI_API_KEY", "OPENAI_BASE_URL"],
  ["openai/gpt-5.2", startResponses, "OPENAI_API_KEY", "OPENAI_BASE_URL"],
  ["google/gemini-2.5-flash", startGoogle, "GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL"],
  ["bedrock/anthropic.claude-sonnet-4-5", startBedrock, "AWS_BEARER_TOKEN_BEDROCK", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME"],
];

async function record(vendor: Vendor) {
  const [id, start, keyEnv, baseEnv] = vendor;
  server = await start(script);
  const env = { [keyEnv]: secret, [baseEnv]: server.url };
  const model = await open(id, { cwd: dir, env, record: "run.cassette" });
  const answers: Answer[] = [];
  for (let i = 0; i < script.length; i++) answers.push(await ask(model, { tools, marks, messages: [user(`q${i}`)] }));
  return answers;
}

function comparable(answers: readonly Answer[]): unknown {
  return JSON.parse(
    JSON.stringify(answers.map(({ events }) => events)).replaceAll(
      /"text":"[^"]*(?:did not complete|limits the rate)[^"]*"/g,
      '"text":"F"',
    ),
  );
}

test.each(vendors)("%s: recorded, replayed alike, with nothing that identifies anybody", async (...vendor) => {
  const live = await record(vendor);
  const text = readFileSync(join(dir, "run.cassette"), "utf8");
  expect(text).not.toContain(secret);
  expect(text).not.toContain("127.0.0.1");
  expect(text).not.toMatch(/authorization|user-agent/i);
  const entries = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(entries[0]).toMatchObject({ cassette: 1, model: vendor[0] });
  expect(entries.slice(1).map(({ n, method, status }) => [n, method, status])).toEqual([
    [1, "POST", 200],
    [2, "POST", 429],
    [3, "POST", 200],
    [4, "POST", 200],
  ]);
  expect(entries[2].headers["retry-after"]).toBe("3");
  expect(entries[3].error).toBeTruthy();
  await server?.close();
  const replay = await open("cassette/run.cassette", { cwd: dir });
  expect(replay.id).toBe("cassette/run.cassette");
  const replayed: Answer[] = [];
  for (let i = 0; i < script.length; i++)
    replayed.push(await ask(replay, { tools, marks: [], messages: [user(`q${i}`)] }));
  expect(comparable(replayed)).toEqual(comparable(live));
  const beyond = await ask(replay, { tools });
  expect(beyond.fail).toMatchObject({ kind: "request" });
  expect(beyond.fail?.text).toContain("4 requests");
});

test("the first difference is named: request, place and both values", async () => {
  await record(vendors[0] as Vendor);
  const replay = await open("cassette/run.cassette", { cwd: dir });
  await ask(replay, { tools, marks, messages: [user("q0")] });
  const { fail } = await ask(replay, { tools, messages: [user("something else")] });
  expect(fail?.kind).toBe("request");
  expect(fail?.text).toContain("request 2");
  expect(fail?.text).toContain('$.messages[0].content[0].text: recorded "q1", now "something else"');
});

test("differences and marks", () => {
  expect(firstDifference({ a: 1, b: 2 }, { b: 2, a: 1 }, "$")).toContain("members");
  expect(firstDifference({ a: [1, { b: null }] }, { a: [1, { b: 0 }] }, "$")).toBe("$.a[1].b: recorded null, now 0");
  expect(firstDifference([1], [1, 2], "$")).toBe("$[1]: recorded nothing, now 2");
  const long = "x".repeat(500);
  expect(firstDifference(`${long}a`, `${long}b`, "$")).toContain("at character 500");
  expect(withoutMarks([{ text: "a", cache_control: {} }, { cachePoint: {} }])).toEqual([{ text: "a" }]);
});

test("a scripted model has nothing to record", async () => {
  writeFileSync(join(dir, "s.json"), "[]");
  await expect(open("scripted/s.json", { cwd: dir, record: "x" })).rejects.toMatchObject({
    exit: 2,
    name: "UserError",
  });
});

test.each([
  ["missing", undefined],
  ["no header", '{"n":1}\n'],
  ["bad line", '{"cassette":1,"model":"anthropic/x"}\n{"n":1}\n'],
])("a cassette that cannot be used is refused: %s", async (_, text) => {
  if (text !== undefined) writeFileSync(join(dir, "c"), text);
  await expect(open("cassette/c", { cwd: dir })).rejects.toMatchObject({ exit: 2, name: "UserError" });
});
