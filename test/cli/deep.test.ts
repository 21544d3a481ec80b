// Input that is nested thousands of levels deep, wherever a model, a hook, a file or a program that drives Cinch can send it:
// the run ends with a result object, the call that it was in says what was wrong, and nothing of it takes effect.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cliStage, jsonLines } from "../support/cli.js";

const levels = 5_000;
const nested = (open: string, close: string, inner = "1") => `${open.repeat(levels)}${inner}${close.repeat(levels)}`;
const list = nested("[", "]");

const once = (call: object) => [{ calls: [{ id: "c1", ...call }] }, { text: "the end" }];

async function run(script: readonly object[], args: readonly string[] = [], files: Record<string, string> = {}) {
  const at = cliStage(script);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(at.project, name, ".."), { recursive: true });
    writeFileSync(join(at.project, name), text);
  }
  const home = { env: { CINCH_HOME: at.home } };
  const outcome = await at.run(["-p", "go", "--output-format", "stream-json", ...args], home);
  return { ...outcome, at, lines: jsonLines(outcome.stdout), bugs: existsSync(join(at.home, "bugs.log")) };
}

test.each([
  ["the arguments of a call", { tool: "read_file", raw: `{"path":${list}}` }],
  ["arguments that parse as a name", { tool: "run_command", raw: `{"command":"true","cwd":${list}}` }],
  ["an input behind the door to other tools", { tool: "use_tool", raw: `{"name":"update_plan","input":${list}}` }],
  ["a command in braces", { tool: "run_command", input: { command: nested("{ ", "; }", "touch made") } }],
  ["a command in subshells", { tool: "run_command", input: { command: nested("(", ")", "touch made") } }],
  ["a command in substitutions", { tool: "run_command", input: { command: nested("$(", ")", "touch made") } }],
])("%s", async (_, call) => {
  const { exit, lines, bugs, at } = await run(once(call), ["--permission-mode", "acceptEdits"]);
  expect([exit, lines.at(-1)?.type, bugs]).toEqual([exit === 7 ? 7 : 0, "result", false]);
  expect(lines.at(-1)).toMatchObject({ result: "the end" });
  expect(existsSync(join(at.project, "made"))).toBe(false);
});

test.each([
  ["a.json", list],
  ["a.yaml", list],
  ["b.yaml", "- ".repeat(levels)],
  ["c.yaml", "\n".repeat(100_000)],
  ["tsconfig.json", `// settings\n${list}`],
  ["a.toml", `a = ${list}`],
  ["a.ts", nested("(", ")")],
  ["a.tsx", nested("<a>", "</a>", "")],
  ["a.js", nested("{", "}", "")],
  ["a.py", nested("(", ")")],
  ["a.html", nested("<div>", "</div>", "")],
  ["a.css", nested("a{", "}", "")],
  ["a.md", nested("> ", "", "x")],
  ["a.go", `package a\nvar x = ${nested("(", ")")}`],
  ["a.sh", nested("(", ")", "true")],
])("a file %s is written, whatever its checker makes of it", async (name, content) => {
  const { exit, lines, bugs, at } = await run(once({ tool: "write_file", input: { path: name, content } }), [
    ...["--permission-mode", "acceptEdits"],
  ]);
  expect([exit, lines.at(-1)?.type, bugs]).toEqual([0, "result", false]);
  expect(existsSync(join(at.project, name))).toBe(true);
});

test("an answer that is to fit a schema, and the schema itself", async () => {
  const answer = await run([{ text: list, repeat: 9 }], ["--json-schema", "schema.json"], {
    "schema.json": '{"type":"array"}',
  });
  expect([answer.exit, answer.bugs]).toEqual([1, false]);
  expect(answer.lines.at(-1)).toMatchObject({ type: "result", is_error: true });
  const schema = await run([{ text: "{}" }], ["--json-schema", "schema.json"], {
    "schema.json": nested('{"items":', "}", "{}"),
  });
  expect([schema.exit, schema.stdout, schema.bugs]).toEqual([2, "", false]);
});

test("settings, an agent's front matter, and a line on standard input", async () => {
  const settings = await run([{ text: "x" }], ["--settings", "s.json"], { "s.json": nested('{"env":', "}") });
  expect([settings.exit, settings.stdout, settings.bugs]).toEqual([2, "", false]);
  const agents = await run(
    once({ tool: "use_tool", input: { name: "submit_agent_tasks", input: { tasks: [] } } }),
    [],
    {
      ".cinch/agents/deep.md": `---\nname: deep\ndescription: ${list}\n---\nx\n`,
    },
  );
  expect([agents.lines.at(-1)?.type, agents.bugs]).toEqual(["result", false]);
  const at = cliStage([{ text: "hello" }]);
  const input = `{"type":"user","text":${list}}\n{"type":"user","text":"go"}\n`;
  const env = { CINCH_HOME: at.home };
  const control = ["--input-format", "stream-json", "--output-format", "stream-json"];
  const { exit, stdout } = await at.run(control, { input, env });
  expect(exit).toBe(0);
  expect(jsonLines(stdout)).toContainEqual(expect.objectContaining({ subtype: "ack", line: 1, ok: false }));
});
