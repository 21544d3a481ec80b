// Every provider as it is shipped: the program and the SDK in dist/ against servers that speak its bytes and check its
// credentials as the real service does. What a bundler does to a package shows here and nowhere else.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cliStage, jsonLines } from "../support/cli.js";
import { type Outcome, root, runNode, tempDir } from "../support/run.js";
import { type Access, accesses, guarded } from "../support/wire/accesses.js";
import { protocols } from "../support/wire/protocols.js";
import type { WireReply } from "../support/wire/server.js";

const note = "remember the milk";
const script: WireReply[] = [
  { text: "I look into the note.", chunk: 4, calls: [{ id: "c1", name: "read_file", input: { path: "note.txt" } }] },
  { text: "It is about milk.", chunk: 4 },
];

describe.each(accesses)("$name", (access) => {
  test("the program: the answer streams, a call goes round, every request is let in, nothing secret stays", async () => {
    const { server, refusals, stage, run } = await play(access, script);
    const outcome = await run(["-p", "What is in note.txt?", "--output-format", "events"]);
    expect(refusals).toEqual([]);
    expect(outcome.exit, outcome.stderr).toBe(0);
    const deltas = jsonLines(outcome.stdout).filter(({ type }) => type === "text.delta");
    expect(deltas.map(({ text }) => text).join("")).toBe("I look into the note.It is about milk.");
    expect(deltas.length).toBeGreaterThan(8);
    expect(server.requests.map(({ method }) => method)).toEqual(["POST", "POST"]);
    expect(server.requests[0]?.body).toContain("What is in note.txt?");
    expect(server.requests[1]?.body).toContain(note);
    expect(holders(access, stage.home, outcome)).toEqual([]);
  });

  test("a recording has no credentials, and plays without them", async () => {
    const { server, stage, run } = await play(access, script);
    const recorded = await run(["-p", "Read note.txt.", "--record", "run.jsonl"]);
    expect(recorded.exit, recorded.stderr).toBe(0);
    const text = readFileSync(join(stage.project, "run.jsonl"), "utf8");
    expect([...access.secrets, ...signatures(server.requests)].filter((one) => text.includes(one))).toEqual([]);
    const played = await stage.bare(["-p", "Read note.txt.", "-m", "cassette/run.jsonl"]);
    expect([played.exit, played.stdout]).toEqual([0, recorded.stdout]);
    expect(server.requests).toHaveLength(2);
  });

  test("the SDK: index.js runs the same conversation, models.js opens the same model", async () => {
    const { server, refusals, stage } = await play(access, [...script, { text: "hello" }]);
    const env = { ...access.env(server), CINCH_HOME: stage.home };
    const { exit, stdout, stderr } = await runNode([program(access.protocol.id)], { cwd: stage.project, env });
    expect(refusals).toEqual([]);
    expect([exit, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toEqual({ result: "It is about milk.", said: "hello" });
  });
});

describe.each(accesses.filter(({ secrets }) => secrets.length > 0))("$name, refused", (access) => {
  test.each([401, 403])("%d is exit 3 after one request, and the echo of a key is not shown", async (status) => {
    const message = `no entry with ${access.secrets.join(" and ")}`;
    const error = { type: "authentication_error", message };
    const { server, stage, run } = await play(access, [{ status, error }]);
    const outcome = await run(["-p", "hi"]);
    expect([outcome.exit, server.requests.length], outcome.stderr).toEqual([3, 1]);
    expect(outcome.stderr).toContain("no entry with");
    expect(holders(access, stage.home, outcome)).toEqual([]);
  });
});

test("Bedrock with nothing but a profile is exit 3, and says what to set", async () => {
  const { exit, stderr } = await cliStage().bare(["-p", "hi", "-m", "bedrock/amazon.nova-pro-v1:0"], {
    env: { AWS_PROFILE: "work", AWS_REGION: "eu-west-1" },
  });
  expect(exit).toBe(3);
  expect(stderr).toContain("aws configure export-credentials --format env");
});

test("every protocol that needs a server is in this table", () => {
  const index = readFileSync(join(root, "src/models/index.gen.ts"), "utf8");
  const names = [...index.matchAll(/"?names"?: ?\[\s*"([a-z-]+)"/g)].map((match) => match[1]);
  const tested = accesses.map(({ protocol }) => protocol.id.split("/")[0]);
  expect(names.sort()).toEqual([...new Set(tested), "cassette", "scripted"].sort());
  expect(new Set(accesses.map(({ protocol }) => protocol.name))).toEqual(new Set(protocols.map(({ name }) => name)));
});

async function play(access: Access, replies: WireReply[]) {
  const { server, refusals } = await guarded(access, replies);
  const stage = cliStage();
  writeFileSync(join(stage.project, "note.txt"), note);
  const run = (args: readonly string[]) => stage.bare([...args, "-m", access.protocol.id], { env: access.env(server) });
  return { server, refusals, stage, run };
}

/** Where a secret is found that belongs nowhere: output, and every file below the home. */
function holders({ secrets }: Access, home: string, { stdout, stderr }: Outcome): string[] {
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const texts: [string, string][] = files.map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return [path, readFileSync(path, "latin1")];
  });
  texts.push(["stdout", stdout], ["stderr", stderr]);
  return texts.filter(([, text]) => secrets.some((secret) => text.includes(secret))).map(([path]) => path);
}

function signatures(requests: readonly { headers: { authorization?: string | undefined } }[]): string[] {
  return requests.flatMap(({ headers }) => headers.authorization ?? []);
}

/** A program that uses both entry points of the package with one model. */
function program(id: string): string {
  const file = join(tempDir(), "program.mjs");
  const from = (name: string) => JSON.stringify(join(root, "dist", name));
  writeFileSync(
    file,
    `import { createHarness } from ${from("index.js")};
import { openModel } from ${from("models.js")};
const id = ${JSON.stringify(id)};
const harness = createHarness({ cwd: process.cwd(), model: id, settings: { lsp: { disabled: ["*"] } } });
const session = await harness.open();
const { result } = await session.send("What is in note.txt?");
await harness.close();
const model = await openModel(id, { env: process.env, cwd: process.cwd(), clock: { now: Date.now, sleep: () => Promise.resolve() } });
const messages = [{ role: "user", parts: [{ type: "text", text: "hello" }] }];
const request = { tools: [], stable: "s", context: "c", messages, marks: [], maxOutput: 100 };
let said = "";
for await (const event of model.stream(request, new AbortController().signal)) {
  if (event.type === "text") said += event.text;
  if (event.type === "fail") said += event.text;
}
console.log(JSON.stringify({ result, said }));
process.exit(0);
`,
  );
  return file;
}
