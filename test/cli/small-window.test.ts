// A model with a window of 32K gets seven tools and nothing behind a door, and can still do everything with them; names that other
// harnesses use are understood; refusals name the argument that helps.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ScriptItem } from "../../src/models/script.js";
import { call, submit } from "../support/agents.js";
import { cliStage, jsonLines } from "../support/cli.js";

interface Played {
  window?: number;
  agents?: Record<string, ScriptItem[]>;
  files?: Record<string, string>;
}

async function played(main: ScriptItem[], { window, agents = {}, files = {} }: Played = {}) {
  const at = cliStage();
  const script = join(at.home, "../script.json");
  writeFileSync(script, JSON.stringify({ main, agents }));
  const settings = join(at.home, "../windows.json");
  const models = window === undefined ? {} : { models: { windows: { [`scripted/${script}`]: window } } };
  writeFileSync(settings, JSON.stringify({ sandbox: { mode: "off" }, lsp: { disabled: ["*"] }, ...models }));
  mkdirSync(at.project, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(at.project, name), text);
  const flags = ["--settings", settings, "--output-format", "stream-json", "--permission-mode", "auto"];
  const done = await at.run(["-p", "go", ...flags]);
  const lines = jsonLines(done.stdout);
  const results = lines.flatMap((line) => {
    const { content } = (line["message"] ?? {}) as { content?: { type: string; content?: unknown }[] };
    return (content ?? []).flatMap((block) => (block.type === "tool_result" ? [JSON.stringify(block.content)] : []));
  });
  return { at, tools: lines[0]?.["tools"], results, exit: done.exit };
}

const seven = ["read_file", "write_file", "append_file", "edit_file", "find_files", "search_text", "run_command"];

test("a window of 32K has the seven tools of the core, a larger one all and the door", async () => {
  for (const window of [8_192, 32_000, 32_768])
    expect((await played([{ text: "hi" }], { window })).tools).toEqual(seven);
  for (const window of [32_769, undefined]) {
    const { tools } = await played([{ text: "hi" }], window === undefined ? {} : { window });
    expect(tools).toHaveLength(10);
  }
});

test("with seven tools a file can be rewritten as a whole, and no refusal names a tool that is not there", async () => {
  const files = { "a.txt": "one\ntwo\n" };
  const again = call("write_file", { path: "a.txt", content: "other\n" });
  const { at, results } = await played([again, again, call("no_such_tool", {}), { text: "done" }], {
    window: 32_768,
    files,
  });
  expect(results[0]).toContain("exists already");
  for (const text of results) expect(text).not.toMatch(/delete_file|list_files|use_tool|submit_agent_tasks/);
  expect(readFileSync(join(at.project, "a.txt"), "utf8")).toBe("other\n");
});

test("check_context tells of tasks, announcements and held files; general is the agent that implements", async () => {
  const announce = call("announce_work", { kind: "endpoint_ready", text: "GET /plums" });
  const agents = { implement: [announce, { text: "made" }] };
  const main = ["general", "general-purpose"].map((agent_name) => submit([{ agent_name, prompt: "Do it." }]));
  const { results } = await played(
    [...main, call("check_context", {}), call("check_context", { focus: "plums" }), { text: "done" }],
    { agents },
  );
  expect(results.join("\n")).toContain("implement answered");
  const [whole = "", focused = ""] = results.slice(-2);
  expect(whole).toContain("succeeded");
  expect(whole).toContain("GET /plums");
  expect(focused).toContain("GET /plums");
  expect(focused).not.toContain("succeeded");
});

test("refusals name the argument that helps", async () => {
  const long = Array.from({ length: 2_500 }, (_, n) => `line ${n + 1}`).join("\n");
  const { results } = await played(
    [
      call("read_file", { path: "twice.txt" }),
      call("edit_file", { path: "twice.txt", old_string: "same", new_string: "other" }),
      call("append_file", { path: "twice.txt", content: "x\n", expected_size: 1 }),
      call("edit_file", { path: "long.txt", old_string: "line 7\n", new_string: "x\n" }),
      call("read_file", { path: "long.txt" }),
      call("run_command", { command: "sleep 30", timeout_seconds: 1 }),
      { text: "done" },
    ],
    { files: { "twice.txt": "same\nsame\n", "long.txt": long } },
  );
  const [, twice, size, , cut, time] = results;
  expect(twice).toMatch(
    /2 times \(lines 1, 2\).*surrounding lines into old_string of edit_file.*replace_all: true in edit_file/,
  );
  expect(size).toMatch(/present size as expected_size/);
  expect(cut).toMatch(/go on with offset \d+/);
  expect(time).toContain("timeout_seconds");
});
