// Tests that need a program which not every machine has. `npm test` passes with only Node, npm, git and bash:
// a test that needs more is skipped with a visible line, and with CINCH_TEST_ALL=1 (as in CI) it fails instead.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { type TestFunction, test } from "vitest";

/** Where being installed does not mean that it works: containers and ordinary users may not be allowed namespaces. */
const trials: Readonly<Record<string, string>> = {
  bwrap: "bwrap --ro-bind / / --proc /proc --dev /dev --unshare-pid --unshare-ipc --unshare-net true",
  /** Namespaces in which file systems can be mounted. */
  unshare: "unshare --user --map-root-user --mount mount -t tmpfs -o size=64k tmpfs /mnt",
};

function has(program: string): boolean {
  try {
    execFileSync("bash", ["-c", trials[program] ?? 'command -v "$1"', "has", program], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** A test that runs where the kernel shows its processes in /proc. */
export const needsProc: (name: string, body: TestFunction) => void = unless(
  existsSync("/proc/self/environ") ? [] : ["a kernel with /proc"],
);

/** `needs("tmux")("resizes", () => …)`: a test that runs where all of `programs` are installed. */
export function needs(...programs: string[]): (name: string, body: TestFunction) => void {
  return unless(programs.filter((program) => !has(program)));
}

function unless(missing: readonly string[]): (name: string, body: TestFunction) => void {
  if (missing.length === 0) return (name, body) => test(name, body);
  const reason = `not installed, or not able to run here: ${missing.join(", ")}`;
  if (process.env["CINCH_TEST_ALL"] === "1") {
    return (name) =>
      test(name, () => {
        throw new Error(`${reason}; CINCH_TEST_ALL=1 allows no skips. Install it, or run without CINCH_TEST_ALL.`);
      });
  }
  return (name) => {
    console.warn(`skipped: ${name} (${reason})`);
    test.skip(`${name} (${reason})`, () => {});
  };
}
