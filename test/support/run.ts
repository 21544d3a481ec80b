// Runs the built program, or any other, in a directory of its own: real processes, real files, a fresh home.
// Invariant: nothing of the machine's own configuration reaches the program, and no key does.

import { spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { GroupGuard } from "../../src/lib/supervisor.js";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const bin = join(root, "dist/cinch.js");

export interface Outcome {
  exit: number | null;
  stdout: string;
  stderr: string;
}

/** A new directory, gone when the test ends, although a program that was just killed may still write to it. Its name has a blank and more than ASCII, as a user's may. */
export function tempDir(name = "cinch tést-"): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), name)));
  onTestFinished(() => removeTree(path));
  return path;
}

/** Node's own retries do not look again for what appeared after it had listed a directory. */
function removeTree(path: string): void {
  for (let left = 100; ; left--) {
    try {
      rmSync(path, { recursive: true, force: true, maxRetries: 2 });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOTEMPTY" || left === 0) throw error;
    }
  }
}

/** One with a plain name: for tests that read the paths strace prints, or that write programs by joining words. */
export const plainDir = (): string => tempDir("cinch-test-");

/** Words for a shell, whatever is in them. */
export function shellWords(argv: readonly string[]): string {
  return argv.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
}

let children = 0;

/** For what starts programs, where no supervisor is the point of the test: each child has a mark of its own. */
export const unguarded: GroupGuard = {
  nextMark: () => `test-${process.pid}.${children++}`,
  guard: () => {},
  release: () => {},
};

const own = /^(CINCH_|ANTHROPIC_|OPENAI_|OPENROUTER_|GEMINI_|GOOGLE_|AWS_|VITEST|NODE_OPTIONS|NODE_V8_COVERAGE)/;

/** This process's environment without keys and Cinch's own variables, with `extra` on top. */
export function cleanEnv(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name, value]) => value !== undefined && !own.test(name));
  return { ...(Object.fromEntries(kept) as Record<string, string>), ...extra };
}

/** `node <args>` in `cwd`; never rejects for an exit code. */
export function runNode(
  args: readonly string[],
  options: { cwd: string; env?: Readonly<Record<string, string>>; input?: string },
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: options.cwd, env: cleanEnv(options.env), stdio: "pipe" });
    const outcome: Outcome = { exit: null, stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      outcome.stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      outcome.stderr += text;
    });
    child.once("error", reject);
    child.once("close", (exit) => resolve({ ...outcome, exit }));
    child.stdin.on("error", () => {});
    child.stdin.end(options.input ?? "");
  });
}

/** `cinch <args>` in `cwd` with its home beside it unless `env` says otherwise. */
export function cinch(
  args: readonly string[],
  options: { cwd: string; env?: Readonly<Record<string, string>>; input?: string },
): Promise<Outcome> {
  return runNode([bin, ...args], { ...options, env: { CINCH_HOME: homeBeside(options.cwd), ...options.env } });
}

/** Never one in the temporary directory itself, which other tests and users share. */
function homeBeside(cwd: string): string {
  if (dirname(realpathSync(cwd)) !== realpathSync(tmpdir())) return join(cwd, "..", "home");
  const home = `${cwd}-home`;
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}
