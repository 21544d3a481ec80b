// A session that starts below the project's root, by --cwd or by where the program is started: relative paths, commands, what the
// model is told, hooks and agents mean that one directory, and every path in a result works when it is typed back. The root
// stays what nothing leaves.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ScriptItem } from "../../src/models/script.js";
import { call, submit, write } from "../support/agents.js";
import { cliStage, jsonLines, type Line } from "../support/cli.js";

const sh = (command: string) => call("run_command", { command });

function staged(main: ScriptItem[], agents: Record<string, ScriptItem[]> = {}) {
  const at = cliStage();
  writeFileSync(join(at.home, "../script.json"), JSON.stringify({ main, agents }));
  const sub = join(at.project, "sub");
  mkdirSync(join(sub, "deep"), { recursive: true });
  writeFileSync(join(at.project, "top.txt"), "the word at the top is plum\n");
  writeFileSync(join(sub, "here.txt"), "the word here is fig\n");
  writeFileSync(join(sub, "deep/far.txt"), "the word below is sloe\n");
  /** From the root with --cwd, as stream-json. */
  const lines = async (...flags: string[]): Promise<Line[]> => {
    const shape = ["--output-format", "stream-json", "--permission-mode", "auto", "--cwd", sub];
    const done = await at.run(["-p", "go", ...shape, ...flags]);
    return jsonLines(done.stdout);
  };
  return { ...at, sub, lines };
}

/** The texts of all results of tools, in order. */
const resultsIn = (lines: Line[]): string[] =>
  lines.flatMap((line) => {
    const { content } = (line["message"] ?? {}) as { content?: { type: string; content?: unknown }[] };
    const blocks = (content ?? []).filter(({ type }) => type === "tool_result");
    return blocks.map((block) => (typeof block.content === "string" ? block.content : JSON.stringify(block.content)));
  });

test("relative paths, commands and searches start in the directory that was chosen", async () => {
  const at = staged([
    call("read_file", { path: "here.txt" }),
    sh("pwd"),
    call("list_files", {}),
    call("find_files", { glob: "**/*.txt" }),
    call("search_text", { pattern: "the word" }),
    call("edit_file", { path: "here.txt", old_string: "fig", new_string: "pear" }),
    write("new.txt"),
    sh("cat new.txt && echo x > by-command.txt"),
    call("read_file", { path: "../top.txt" }),
    { text: "done" },
  ]);
  const lines = await at.lines();
  expect(lines[0]).toMatchObject({ subtype: "init", cwd: at.sub });
  const [read, pwd, listed, found, searched, edited, made, command, above] = resultsIn(lines);
  expect(read).toContain("the word here is fig");
  expect(pwd).toContain(at.sub);
  expect(listed).toMatch(/here\.txt/);
  expect(listed).not.toContain("top.txt");
  expect(found?.split("\n")).toEqual(expect.arrayContaining(["deep/far.txt", "here.txt"]));
  expect(searched?.split("\n")).toEqual(expect.arrayContaining(["here.txt", "deep/far.txt"]));
  expect(searched).not.toContain("sub/");
  expect(edited).toMatch(/^\S* ?here\.txt|here\.txt/);
  expect(edited).not.toContain("sub/here.txt");
  expect(made).not.toContain("sub/new.txt");
  expect(command).toContain("made");
  expect(command).toContain("by-command.txt");
  expect(command).not.toContain("sub/by-command.txt");
  expect(above).toContain("plum");
  expect(readFileSync(join(at.sub, "here.txt"), "utf8")).toContain("pear");
  expect(existsSync(join(at.sub, "new.txt"))).toBe(true);
  expect(existsSync(join(at.project, "new.txt"))).toBe(false);
});

test("a path that a result shows can be typed back, wherever in the project it is", async () => {
  for (const start of ["..", "."]) {
    const at = staged([call("search_text", { pattern: "the word", path: start }), { text: "done" }]);
    const shown = (resultsIn(await at.lines())[0] ?? "").match(/^.*?\.txt/gm) ?? [];
    expect(shown.length).toBeGreaterThan(1);
    const again = staged([
      ...shown.map((path) => call("read_file", { path: path.replace(at.project, "{{root}}") })),
      { text: "done" },
    ]);
    const script = join(again.home, "../script.json");
    writeFileSync(script, readFileSync(script, "utf8").replaceAll("{{root}}", again.project));
    for (const text of resultsIn(await again.lines()))
      expect([shown, text]).toEqual([shown, expect.stringContaining("the word")]);
  }
});

test("the root is still what nothing leaves, and refusals name the directory that paths start in", async () => {
  const at = staged([
    write("../beside.txt"),
    write("../../out.txt"),
    call("read_file", { path: "nowhere.txt" }),
    sh("ls && pwd"),
    call("run_command", { command: "pwd", cwd: "deep" }),
    { text: "done" },
  ]);
  const [beside, out, missing, , deep] = resultsIn(await at.lines());
  expect(beside).toContain(join(at.project, "beside.txt"));
  expect(existsSync(join(at.project, "beside.txt"))).toBe(true);
  expect(out).toContain(`Paths are relative to ${at.sub}.`);
  expect(missing).toContain("nowhere.txt");
  expect(deep).toContain(join(at.sub, "deep"));
});

test("started in the directory it is the same, and agents work where the session does", async () => {
  const agents = { implement: [sh("pwd"), write("by-agent.txt"), { text: "In {{result:-2}}" }] };
  const at = staged([submit([{ agent_name: "implement", prompt: "Do it." }]), { text: "{{result:-1}}" }], agents);
  const args = ["-p", "go", "--permission-mode", "auto", "-m", `scripted/${join(at.home, "../script.json")}`];
  const done = await at.bare(args, { cwd: at.sub });
  expect([done.exit, done.stdout]).toEqual([0, expect.stringContaining(at.sub)]);
  expect(existsSync(join(at.sub, "by-agent.txt"))).toBe(true);
});

test("rules stay those of the project: their patterns begin at its root", async () => {
  const at = staged([write("a.txt"), write("deep/b.txt"), { text: "done" }]);
  const rules = ["--deny", "Edit(/sub/a.txt)", "--deny", "Edit(/deep/**)"];
  const [denied, made] = resultsIn(await at.lines(...rules));
  expect(denied).toContain("Denied (deny Edit(/sub/a.txt))");
  expect(made).not.toContain("Denied");
});

test("a user's hook runs there and hears of it; one of the project runs at the root its paths were approved from", async () => {
  const at = staged([sh("true"), { text: "done" }]);
  const hook = (name: string) => ({
    hooks: {
      PreToolUse: [
        {
          matcher: "Bash",
          hooks: [{ type: "command", command: `cat > "${at.home}/${name}.json"; pwd > "${at.home}/${name}.pwd"` }],
        },
      ],
    },
  });
  const settings = join(at.home, "own.json");
  writeFileSync(settings, JSON.stringify({ ...hook("user"), sandbox: { mode: "off" } }));
  mkdirSync(join(at.project, ".cinch"));
  writeFileSync(join(at.project, ".cinch/settings.json"), JSON.stringify(hook("project")));
  await at.lines("--settings", settings, "--trust");
  const heard = (name: string) => [
    JSON.parse(readFileSync(join(at.home, `${name}.json`), "utf8")).cwd,
    readFileSync(join(at.home, `${name}.pwd`), "utf8").trim(),
  ];
  expect(heard("user")).toEqual([at.sub, at.sub]);
  expect(heard("project")).toEqual([at.sub, at.project]);
});

test("a session that goes on in another directory works there, and the model is told", async () => {
  const at = staged([{ text: "begun" }, sh("pwd"), { text: "done" }]);
  const common = ["--permission-mode", "auto", "--output-format", "stream-json"];
  const first = jsonLines((await at.run(["-p", "go", ...common])).stdout);
  const id = first[0]?.["session_id"] as string;
  const lines = await at.lines("-r", id);
  expect(lines[0]).toMatchObject({ cwd: at.sub, session_id: id });
  expect(JSON.stringify(lines)).toContain(`Working directory: ${at.sub}`);
});
