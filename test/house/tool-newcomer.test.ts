// A newcomer adds a tool by writing one file and its test. Proof: the code blocks of CONTRIBUTING.md are dropped into a
// copy of the project, which is then built and run, and git says that nothing else changed but the generated index.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { needs } from "../support/needs.js";
import { cleanEnv, root, runNode, tempDir } from "../support/run.js";
import { blockOf, page } from "./pages.js";
import { typeErrors } from "./types.js";

const withGit = needs("git");
const guide = page("CONTRIBUTING.md");
const parts = ["src", "scripts", "test/support", "package.json", "tsconfig.json", "tsconfig.build.json", ".gitignore"];
const blocks = {
  tool: ["src/tools/count-lines.ts", "src/tools/count-lines.test.ts"],
  provider: ["src/models/parrot.ts"],
  command: ["src/cli/commands/greet.ts"],
};
const textOf = (path: string) => blockOf(guide, `ts ${path}`);

function git(cwd: string, ...args: string[]): string {
  const who = ["-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false"];
  return execFileSync("git", [...who, ...args], { cwd, encoding: "utf8", env: cleanEnv() });
}

/** A committed copy of the project whose packages are this checkout's. */
function copyOfProject(): string {
  const copy = join(tempDir(), "cinch");
  for (const part of [...parts, "vitest.config.ts"]) cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  writeFileSync(join(copy, ".git-exclude"), "node_modules\n.git-exclude\n");
  git(copy, "init", "-q");
  git(copy, "config", "core.excludesFile", join(copy, ".git-exclude"));
  execFileSync(process.execPath, ["scripts/manifest.mjs"], { cwd: copy, env: cleanEnv() });
  git(copy, "add", ".");
  git(copy, "commit", "-q", "-m", "before");
  return copy;
}

/** Adds the files, builds, and returns what git sees as changed or new. */
function add(copy: string, paths: readonly string[]): string[] {
  for (const path of paths) writeFileSync(join(copy, path), textOf(path));
  execFileSync(process.execPath, ["scripts/build.mjs", "--no-types"], { cwd: copy, env: cleanEnv(), stdio: "pipe" });
  return git(copy, "status", "--porcelain", "--untracked-files=all")
    .split("\n")
    .filter(Boolean)
    .map((line) => line.slice(3))
    .sort();
}

/** Runs the copy's program in a project of its own with one file of three lines. */
async function run(copy: string, args: string[], files: Readonly<Record<string, string>> = {}) {
  const folder = tempDir();
  const cwd = join(folder, "project");
  mkdirSync(cwd);
  for (const [name, text] of Object.entries({ "poem.txt": "one\ntwo\nthree\n", ...files })) {
    writeFileSync(join(cwd, name), text);
  }
  return runNode([join(copy, "dist/cinch.js"), ...args], { cwd, env: { CINCH_HOME: join(folder, "home") } });
}

withGit("a tool is one file and its test", async () => {
  const copy = copyOfProject();
  expect(add(copy, blocks.tool)).toEqual([...blocks.tool, "src/tools/index.gen.ts"].sort());
  const script = [
    { calls: [{ tool: "count_lines", input: { path: "poem.txt" } }] },
    { calls: [{ tool: "use_tool", input: { name: "count_lines", input: { path: "poem.txt" } } }] },
    { match: "3 lines", text: "{{result:-1}}" },
  ];
  const outcome = await run(copy, ["-p", "count", "-m", "scripted/script.json"], {
    "script.json": JSON.stringify(script),
  });
  expect([outcome.exit, outcome.stderr]).toEqual([0, expect.any(String)]);
  expect(outcome.stdout).toContain("poem.txt has 3 lines");
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const tested = await runNode([vitest, "run", "--project", "unit", "src/tools/count-lines.test.ts"], { cwd: copy });
  expect(tested.exit, tested.stdout + tested.stderr).toBe(0);
});

withGit("a provider is one file", async () => {
  const copy = copyOfProject();
  expect(add(copy, blocks.provider)).toEqual([...blocks.provider, "src/models/index.gen.ts"].sort());
  const outcome = await run(copy, ["-p", "Hello, bird", "-m", "parrot/green"]);
  expect([outcome.exit, outcome.stdout]).toEqual([0, "Hello, bird\n"]);
});

withGit("a command is one file and a row", async () => {
  const copy = copyOfProject();
  const index = join(copy, "src/cli/commands/index.ts");
  const head = "export const commands: readonly CommandEntry[] = [\n";
  const text = readFileSync(index, "utf8");
  expect(text).toContain(head);
  writeFileSync(
    index,
    text.replace(head, () => head + blockOf(guide, "ts row")),
  );
  expect(add(copy, blocks.command)).toEqual([...blocks.command, "src/cli/commands/index.ts"].sort());
  const outcome = await run(copy, ["greet", "--name", "Ada"]);
  expect([outcome.exit, outcome.stdout]).toEqual([0, "Hello, Ada.\n"]);
});

test("the code blocks of CONTRIBUTING.md have no type errors", () => {
  const paths = Object.values(blocks).flat();
  expect(typeErrors(Object.fromEntries(paths.map((path) => [path, textOf(path)])))).toEqual([]);
});
