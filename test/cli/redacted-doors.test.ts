// The ways into a session file besides a run: each takes known secrets out of what it writes (SPEC 1.5), and what somebody
// else has written down also loses what has the shape of one.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cliStage, jsonLines } from "../support/cli.js";

const secret = "canary Door.1_9";
const shaped = "ghp_a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2";
const env = { MY_TOKEN: secret };

/** All that is kept below a directory, names included. */
function keptIn(home: string): string {
  const names = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return names.map(({ parentPath, name }) => `${name}\n${readFileSync(join(parentPath, name), "utf8")}`).join("\n");
}

test("import: messages, calls, results and thoughts of another program", async () => {
  const at = cliStage();
  const common = { sessionId: "s", cwd: at.project, version: "1", timestamp: "2026-01-01T00:00:00.000Z" };
  const line = (uuid: string, parentUuid: string | null, type: string, content: unknown) =>
    JSON.stringify({ ...common, uuid, parentUuid, type, message: { role: type, model: "m", content } });
  const lines = [
    line("1", null, "user", `use ${secret}`),
    line("2", "1", "assistant", [
      { type: "thinking", thinking: `it is ${secret}`, signature: "sig" },
      { type: "text", text: `I use ${encodeURIComponent(secret)}` },
      { type: "tool_use", id: "c", name: "Bash", input: { command: `echo '${secret}'` } },
    ]),
    line("3", "2", "user", [{ type: "tool_result", tool_use_id: "c", content: `${secret}\n${shaped}` }]),
    line("4", "3", "assistant", [{ type: "text", text: "done" }]),
  ];
  const file = join(at.project, "..", "session.jsonl");
  writeFileSync(file, lines.join("\n"));
  expect((await at.bare(["import", file], { env })).exit).toBe(0);
  const kept = keptIn(join(at.home, "sessions"));
  expect(kept).toContain("use [redacted:MY_TOKEN]");
  expect(kept).toContain("[redacted:github token]");
  expect(kept).not.toContain("it is ");
  for (const form of [secret, encodeURIComponent(secret), shaped]) expect(kept).not.toContain(form);
});

test("a label, a branch and the name of a copy, and an undo", async () => {
  const at = cliStage([
    { calls: [{ tool: "write_file", input: { path: "a.txt", content: "a\n" } }] },
    { text: "done" },
  ]);
  const flags = ["--permission-mode", "auto", "--output-format", "events"];
  const run = await at.run(["-p", "go", ...flags], { env });
  const entry = String(jsonLines(run.stdout).find(({ type }) => type === "entry.append")?.["entry"]);
  for (const args of [
    ["tree", "label", entry, `label ${secret}`],
    ["fork", entry, `copy ${secret}`],
    ["undo", "--json"],
  ]) {
    const { exit, stdout, stderr } = await at.bare(args, { env });
    expect([args[0], exit, (stdout + stderr).includes(secret)]).toEqual([args[0], 0, false]);
  }
  const kept = keptIn(at.home);
  expect(kept).toContain("label [redacted:MY_TOKEN]");
  expect(kept).toContain("copy [redacted:MY_TOKEN]");
  expect(kept).not.toContain(secret);
});
