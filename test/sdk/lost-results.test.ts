// A session that died in the middle of parallel calls, at each point of it, resumed with each protocol: every call gets one
// result that says what the log proves, and nothing is done again (CONTRACT §6.1).

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { createHarness } from "../../src/index.js";
import { readSession } from "../../src/session/index.js";
import { tempDir } from "../support/run.js";
import { logFile } from "../support/session-log.js";
import { stage } from "../support/stage.js";
import { requestFaults } from "../support/wire/faults.js";
import { protocols } from "../support/wire/protocols.js";

const calls = [
  { id: "look", name: "list_files", input: {} },
  { id: "write", name: "write_file", input: { path: "a.txt", content: "one\n" } },
  { id: "exec", name: "run_command", input: { command: "echo two >> b.txt" } },
  { id: "add", name: "append_file", input: { path: "a.txt", content: "three\n" } },
];

const notRun = /^Not run: the session was interrupted before this call had any effect/;
/** All that the calls after it did is on the disk as well. */
const neither = /a\.txt is neither as before nor as this call would have left it/;
const unknown = /unknown whether it took effect/;

interface Line {
  type: string;
  call: string;
  line: number;
}

/** Every line of the log, with the call it is about. */
function linesOf(file: string): Line[] {
  return [...readSession(file)].map(({ entry, line }) => {
    const data = entry?.data as { call?: string; parts?: { callId?: string }[] };
    return { type: entry?.type ?? "", call: data.call ?? data.parts?.[0]?.callId ?? "", line };
  });
}

const at = (lines: readonly Line[], type: string, call: string) => {
  const found = lines.find((line) => line.type === type && line.call === call);
  if (!found) throw new Error(`no ${type} of ${call}`);
  return found.line;
};

type Harm = (text: string[], lines: readonly Line[]) => string[];
const cutAfter =
  (type: string, call: string): Harm =>
  (text, lines) =>
    text.slice(0, at(lines, type, call) + 1);
const spoil =
  (type: string, call: string): Harm =>
  (text, lines) =>
    text.map((line, i) => (i === at(lines, type, call) ? line.replace('"time":', '"tame":') : line));

const cases: { name: string; harm: Harm; told: Record<string, RegExp> }[] = [
  {
    name: "before any call began",
    harm: (text, lines) => text.slice(0, Math.min(...lines.filter(({ call }) => call !== "").map(({ line }) => line))),
    told: { look: notRun, write: notRun, exec: notRun, add: notRun },
  },
  {
    name: "while a file was written",
    harm: cutAfter("intent", "write"),
    told: { write: neither, exec: notRun, add: notRun },
  },
  {
    name: "while a command ran",
    harm: cutAfter("intent", "exec"),
    told: { write: /^created/, exec: unknown, add: notRun },
  },
  {
    name: "between the end of a call and its result",
    harm: cutAfter("outcome", "write"),
    told: { write: /^This call ran and ended \(ok\), but its result was lost. It changed .*a\.txt/, exec: notRun },
  },
  {
    name: "with the result of a command damaged",
    harm: spoil("message", "exec"),
    told: { write: /^created/, exec: /^This call ran and ended \(ok, exit code 0\).* It changed .*b\.txt/ },
  },
  {
    name: "after all results",
    harm: cutAfter("message", "add"),
    told: { write: /^created/, exec: /./, add: /^appended/ },
  },
];

/** All results in a body, by call, whatever the protocol. */
function resultsIn(body: string): Map<string, string> {
  const found = new Map<string, string>();
  const look = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const item = value as Record<string, unknown>;
    const id = item["tool_use_id"] ?? item["tool_call_id"] ?? item["toolUseId"] ?? item["call_id"];
    const content = item["content"] ?? item["output"];
    if (typeof id === "string" && content !== undefined) found.set(id, textIn(content));
    const response = item["functionResponse"] as { id: string; response: unknown } | undefined;
    if (response) found.set(response.id, textIn(response.response));
    for (const member of Object.values(item)) look(member);
  };
  look(JSON.parse(body));
  return found;
}

function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  const { content: inner, text } = (Array.isArray(content) ? content[0] : content) as Record<string, unknown>;
  return textIn(inner ?? text);
}

describe.each(cases)("a session that died $name", ({ harm, told }) => {
  test.each(protocols)("is told of each call through $name", async (one) => {
    const set = await stage([{ text: "All at once.", calls }, { text: "done" }]);
    const session = await set.open();
    await session.send("go");
    await session.close();
    const file = logFile(set.home);
    const text = readFileSync(file, "utf8").trimEnd().split("\n");
    const home = tempDir();
    const copy = join(home, "sessions", basename(dirname(file)), basename(file));
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, `${harm(text, linesOf(file)).join("\n")}\n`);
    const before = readdirSync(set.root).map((name) => [
      name,
      name === ".git" || readFileSync(join(set.root, name), "utf8"),
    ]);

    const server = await one.start([]);
    const settings = { permissions: { mode: "auto" } } as const;
    const harness = createHarness({ cwd: set.root, home, model: one.id, env: one.env(server), settings });
    const again = await harness.open({ resume: true });
    expect(await again.send("go on")).toMatchObject({ subtype: "success" });
    const body = server.requests.at(-1)?.body ?? "";
    expect(requestFaults(one.name, body)).toEqual([]);
    const results = resultsIn(body);
    expect([...results.keys()].sort()).toEqual(calls.map(({ id }) => id).sort());
    for (const [call, words] of Object.entries(told)) expect(results.get(call), call).toMatch(words);
    const after = readdirSync(set.root).map((name) => [
      name,
      name === ".git" || readFileSync(join(set.root, name), "utf8"),
    ]);
    expect(after).toEqual(before);
    await harness.close();
    await server.close();
  });
});
