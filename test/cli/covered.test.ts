// What undo, why and `files` cover besides calls: hooks, patches of agents in a copy, and commands that outlive the run.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cliStage } from "../support/cli.js";
import { eventually } from "../support/tasks.js";

const bash = (command: string) => ({ calls: [{ tool: "run_command", input: { command } }] });
const write = (path: string, content: string) => ({ calls: [{ tool: "write_file", input: { path, content } }] });
const auto = ["--permission-mode", "auto", "--output-format", "json"];

interface Changed {
  path: string;
  before: string | null;
  after: string | null;
}

function staged(script: object, files: Record<string, string>, hooks: Record<string, string> = {}) {
  const stage = cliStage();
  writeFileSync(join(stage.home, "..", "script.json"), JSON.stringify(script));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(stage.project, name), text);
  const entries = Object.entries(hooks).map(([event, command]) => [event, [{ hooks: [{ type: "command", command }] }]]);
  writeFileSync(join(stage.home, "settings.json"), JSON.stringify({ hooks: Object.fromEntries(entries) }));
  const read = (name: string) => {
    const file = join(stage.project, name);
    return existsSync(file) ? readFileSync(file, "utf8") : null;
  };
  const json = async (...args: string[]) => JSON.parse((await stage.bare([...args, "--json"])).stdout);
  const go = async () => JSON.parse((await stage.run([...auto, "-p", "go"])).stdout);
  return { ...stage, read, json, go };
}

const names = (project: string, files: readonly Changed[]) =>
  files.map(({ path }) => path.slice(project.length + 1)).sort();

test("hooks: what they change is in files as long as there is a result, and undo takes all of it back", async () => {
  const script = {
    main: [
      write("a.txt", "b\na\n"),
      { calls: [{ tool: "submit_agent_tasks", input: { tasks: [{ agent_name: "implement", prompt: "c" }] } }] },
      { text: "done" },
    ],
    agents: { implement: [write("c.txt", "d\nc\n"), { text: "ok" }] },
  };
  const log = (name: string) => `echo ${name} >> log.txt`;
  const at = staged(
    script,
    {},
    {
      SessionStart: log("start"),
      UserPromptSubmit: log("prompt"),
      PreToolUse: log("before"),
      // A formatter.
      PostToolUse: "for f in a.txt c.txt; do [ ! -e $f ] || sort -o $f $f; done",
      SubagentStop: log("agent"),
      Stop: log("stop"),
      SessionEnd: "echo end > end.txt",
    },
  );
  const result = await at.go();
  expect([at.read("a.txt"), at.read("c.txt"), at.read("end.txt")]).toEqual(["a\nb\n", "c\nd\n", "end\n"]);
  expect(at.read("log.txt")).toMatch(/^start\nprompt\nbefore\n(.|\n)*agent\n(.|\n)*stop\n$/);
  // The result was written before the session ended.
  expect(names(at.project, result.files)).toEqual(["a.txt", "c.txt", "log.txt"]);
  expect(result.coverage).toBe("full");
  expect(await at.json("why", "a.txt:1")).toMatchObject({ made: "call" });
  expect(await at.json("undo")).toMatchObject({ undone: true });
  const now = ["a.txt", "c.txt", "log.txt", "end.txt"].map((name) => at.read(name));
  expect(now).toEqual([null, null, null, null]);
});

test("a hook that refuses the prompt and changes a file: there is no run, and undo takes it back", async () => {
  const at = staged({ main: [], agents: {} }, {}, { UserPromptSubmit: "echo seen > seen.txt; echo no >&2; exit 2" });
  const result = await at.go();
  expect(names(at.project, result.files)).toEqual(["seen.txt"]);
  expect(await at.json("undo")).toMatchObject({ undone: true });
  expect(at.read("seen.txt")).toBe(null);
});

test("an agent in a copy changes nothing here; applying its patch is a change of the call that does it", async () => {
  const script = {
    main: [
      {
        calls: [
          {
            tool: "submit_agent_tasks",
            input: { tasks: [{ agent_name: "implement", prompt: "go", isolation: "worktree" }] },
          },
        ],
      },
      bash("git apply ../*/spill/*/*.patch"),
      { text: "applied" },
    ],
    agents: { implement: [write("new.txt", "new\n"), bash("echo more >> old.txt"), { text: "made" }] },
  };
  const at = staged(script, { "old.txt": "old\n" });
  rmSync(join(at.project, ".git"), { recursive: true });
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: at.project });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "first");
  const result = await at.go();
  expect(at.read("old.txt")).toBe("old\nmore\n");
  expect(names(at.project, result.files)).toEqual(["new.txt", "old.txt"]);
  expect(result.files.map(({ agents }: { agents?: string[] }) => agents)).toEqual([undefined, undefined]);
  expect(result.coverage).toBe("full");
  expect(await at.json("why", "new.txt:1")).toMatchObject({ made: "call", agent: "main" });
  expect(await at.json("undo")).toMatchObject({ undone: true });
  expect([at.read("new.txt"), at.read("old.txt")]).toEqual([null, "old\n"]);
});

test("a detached command: the result says partial; what it changes after the run is nobody's and stays", async () => {
  const at = staged(
    {
      main: [
        {
          calls: [
            {
              tool: "start_background_task",
              input: {
                ...{ kind: "shell", detach: true },
                command: "for i in $(seq 600); do [ -e go ] && break; sleep 0.05; done; echo late > late.txt",
              },
            },
          ],
        },
        bash("echo early > early.txt"),
        { text: "done" },
      ],
      agents: {},
    },
    {},
  );
  const result = await at.go();
  expect(result.coverage).toBe("partial");
  expect(names(at.project, result.files)).toEqual(["early.txt"]);
  writeFileSync(join(at.project, "go"), "");
  await eventually(() => at.read("late.txt") === "late\n");
  expect(await at.json("why", "late.txt:1")).toMatchObject({ made: "before" });
  const undone = await at.json("undo");
  expect(names(at.project, undone.files)).toEqual(["early.txt"]);
  expect([at.read("early.txt"), at.read("late.txt")]).toEqual([null, "late\n"]);
  expect(readdirSync(at.project)).toContain("go");
});
