// A project and a home in which what the pages show can be typed: a session with a file, a named entry, a finished task and an
// answer that was kept, a build, files by the names that the pages use. Every line begins with the same state.
// `cinch` on its PATH is the built program, and writes down how each of its processes ended.

import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exampleOf } from "./doc-lines.js";
import { bin, cleanEnv, shellWords, tempDir } from "./run.js";
import { app, plan, verdict } from "./small-build.js";

export interface Typed {
  /** The exit codes of each `cinch` in the line. */
  exits: number[];
  output: string;
}

export interface DocStage {
  project: string;
  home: string;
  base: string;
  /** Of the shell that lines are typed into. */
  path: string;
  /** What placeholders stand for here. */
  names: { session: string; entry: string; task: string; build: string };
  /** Of the script that answers. */
  model: string;
  /** Types the line into bash, in the project as it was at first; with `input` on its standard input. */
  type(line: string, input?: string): Typed;
}

const source = `${Array.from({ length: 14 }, (_, at) => `export const n${at} = ${at};`).join("\n")}\n`;
const call = (tool: string, input: object) => ({ calls: [{ tool, input }] });

/** What the session did of which the pages speak. */
const history = [
  call("write_file", { path: "src/a.ts", content: source }),
  call("submit_agent_tasks", { tasks: [{ agent_name: "explore", prompt: "Look around." }] }),
  { text: "Done." },
];

const agents = { implementer: [app, { text: "Made." }], gate: verdict("PASS") };

export function docStage(): DocStage {
  const base = tempDir();
  const [project, home, log] = [join(base, "project"), join(base, "home"), join(base, "exits")];
  for (const folder of ["src", "scripted"]) mkdirSync(join(project, folder), { recursive: true });
  mkdirSync(join(base, "bin"));
  mkdirSync(home);
  const path = `${join(base, "bin")}:${process.env["PATH"]}`;
  const env = cleanEnv({ CINCH_HOME: home, PATH: path });
  program(
    join(base, "bin/cinch"),
    `${shellWords([process.execPath, bin])} "$@"\ncode=$?\necho $code >>${shellWords([log])}\nexit $code`,
  );
  program(
    join(base, "bin/npx"),
    `[ "$1" = cinch ] && shift && exec cinch "$@"\necho "npx $* is not for this test" >&2; exit 2`,
  );
  const type = (line: string, input = ""): Typed => {
    writeFileSync(log, "");
    const { stdout, stderr } = spawnSync("bash", ["-c", line], { cwd: project, env, encoding: "utf8", input });
    return { exits: readFileSync(log, "utf8").split("\n").filter(Boolean).map(Number), output: stdout + stderr };
  };
  const names = prepared({ project, home, base }, (line) => {
    const { exits, output } = type(line);
    if (exits.some((code) => code !== 0)) throw new Error(`${line}\n${output}`);
    return output;
  });
  const kept = tempDir();
  const places = Object.entries({ project, home });
  for (const [name, place] of places) cpSync(place, join(kept, name), { recursive: true });
  const restored = (line: string, input?: string) => {
    for (const [name, place] of places) {
      rmSync(place, { recursive: true });
      cpSync(join(kept, name), place, { recursive: true });
    }
    return type(line, input);
  };
  return { project, home, base, path, names, model: `scripted/${join(base, "script.json")}`, type: restored };
}

function program(path: string, text: string): void {
  writeFileSync(path, `#!/bin/bash\n${text}\n`);
  chmodSync(path, 0o755);
}

function prepared(
  { project, home, base }: Pick<DocStage, "project" | "home" | "base">,
  type: (line: string) => string,
) {
  const script = join(base, "script.json");
  const play = (main: object[]) => writeFileSync(script, JSON.stringify({ main, agents }));
  const model = `scripted/${script}`;
  const settings = {
    model,
    sandbox: { mode: "off" },
    lsp: { disabled: ["*"] },
    tools: { declare: ["agents"] },
    models: { prices: { [model]: { input: 1, output: 1 } } },
  };
  writeFileSync(join(home, "settings.json"), JSON.stringify(settings));
  const files = {
    "spec.md": "# An app\n\nIt says whether it is on.\n",
    "plan.yaml": JSON.stringify(plan),
    "answer.json": '{"type": "object"}',
    "settings.json": "{}",
    "scripted/script.json": "[]",
    "task.txt": "Say {}.\n",
    Makefile: "all:\n\t@echo made\n",
    "team.yaml": exampleOf("docs/build.md", "## Formations"),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
  spawnSync("bash", ["-c", "git init -q . && git add -A"], { cwd: project });
  play([]);
  type("cinch build --plan plan.yaml --yes --no-verify --no-preview --permission-mode auto");
  play(history);
  const { session_id: session } = JSON.parse(type("cinch --output-format json --permission-mode auto -p go"));
  const { entries } = JSON.parse(type(`cinch tree ${session} --all --json`)) as {
    entries: { id: string; type: string; role: string }[];
  };
  const entry = entries.find(({ role }) => role === "assistant")?.id ?? "";
  type(`cinch tree label ${entry} "good start"`);
  type(`cinch export ${session} --format jsonl -o exported.jsonl`);
  const { tasks } = JSON.parse(type("cinch tasks list --json")) as {
    tasks: { id: string; owner: { session: string } }[];
  };
  const task = tasks.find(({ owner }) => owner.session === session)?.id ?? "";
  const [build = ""] = readdirSync(join(project, ".cinch/build")).filter((name) => name !== ".gitignore");
  play(Array.from({ length: 9 }, () => ({ text: "{}" })));
  if (!existsSync(join(project, "src/a.ts")) || !entry || !task)
    throw new Error("the stage lacks a file, an entry or a task");
  return { session, entry, task, build };
}
