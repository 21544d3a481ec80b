// The corpus of shell commands and the project its read-only rows are about.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { CommandAnalysis } from "../../src/core/command.js";
import { nodeFs } from "../../src/lib/fs.js";
import { loadGrammar } from "../../src/lib/tree-sitter.js";
import { analyseWith, createGround, type Ground } from "../../src/permission/command/index.js";

export interface ShellCase {
  id: string;
  group: string;
  cmd: string;
  verdict: CommandAnalysis["verdict"];
  why: string;
  requires?: readonly string[];
}

export function shellCases(): ShellCase[] {
  return JSON.parse(readFileSync(new URL("../data/shell-cases.json", import.meta.url), "utf8"));
}

/** Spellings of our own, by what is expected of them: a verdict, and the reason where there is one. */
export function shellBypasses(): Record<string, string[]> {
  return JSON.parse(readFileSync(new URL("../data/shell-bypasses.json", import.meta.url), "utf8"));
}

/** README.md, src/a.ts, docs/x.md, logs/app.log, package.json, a file named `-n`, one commit. */
export function makeShellProject(): { root: string; home: string; remove(): void } {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "shell-")));
  const root = join(base, "project");
  const home = join(base, "home");
  for (const name of ["src", "docs", "logs"]) mkdirSync(join(root, name), { recursive: true });
  mkdirSync(home);
  const files = {
    "README.md": "hello\nworld\nTODO: more\n",
    "src/a.ts": "export const a = 1; // TODO\n",
    "docs/x.md": "# x\n",
    "logs/app.log": "one\ntwo\n",
    "package.json": '{ "name": "fixture" }\n',
    "-n": "a file that looks like a flag\n",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...args], {
      cwd: root,
      stdio: "ignore",
    });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-q", "-m", "first");
  return { root, home, remove: () => rmSync(base, { recursive: true, force: true }) };
}

function groundOf(root: string, home = homedir()): Ground {
  return createGround({ disk: nodeFs, root, bases: [root], home, path: "/usr/local/bin:/usr/bin:/bin" });
}

/** Analyses commands that start in the project's root. */
export async function analystIn(
  root: string,
  home?: string,
): Promise<(command: string, cwd?: string) => CommandAnalysis> {
  const parse = await loadGrammar("bash");
  const ground = groundOf(root, home);
  return (command, cwd = root) => analyseWith(parse, command, cwd, ground);
}

/** Commands that change something in `../x`, or would if what they name were there. */
export function outsideWrites(): string[] {
  return JSON.parse(readFileSync(new URL("../data/outside-writes.json", import.meta.url), "utf8"));
}

/** Near to what only reads, and more than that: none of them may run unasked. */
export function hostileTwins(): string[] {
  return JSON.parse(readFileSync(new URL("../data/hostile-twins.json", import.meta.url), "utf8"));
}
