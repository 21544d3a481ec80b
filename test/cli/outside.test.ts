// Commands of the built program that would change something outside of the project: in no mode, with and without a sandbox.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { cliStage } from "../support/cli.js";
import { needs } from "../support/needs.js";
import { outsideWrites } from "../support/shell-cases.js";

async function outsideAfter(commands: readonly string[], flags: readonly string[], sandboxed: boolean) {
  const calls = commands.map((command) => ({ tool: "run_command", input: { command } }));
  const at = cliStage([{ calls }, { text: "done" }], { sandboxed });
  const outside = join(dirname(at.project), "x");
  mkdirSync(join(at.project, "src"));
  mkdirSync(outside);
  writeFileSync(join(outside, "a"), "1\n");
  for (const name of ["README.md", "src/a.ts"]) writeFileSync(join(at.project, name), "text\n");
  const { exit } = await at.run(["-p", "go", ...flags]);
  const left = readdirSync(outside).map((name) => `${name}: ${readFileSync(join(outside, name), "utf8")}`);
  return { exit, left, around: ["y", "w"].filter((name) => existsSync(join(dirname(at.project), name))) };
}

const untouched = { exit: 7, left: ["a: 1\n"], around: [] };
const local = outsideWrites().filter((command) => !/https:|npm|git (push|clone)/.test(command));

test.each([
  ["auto", ["--permission-mode", "auto"]],
  ["auto, all commands allowed", ["--permission-mode", "auto", "--allow", "Bash"]],
  ["acceptEdits", ["--permission-mode", "acceptEdits"]],
])("%s, without a sandbox", { timeout: 120_000 }, async (_mode, flags) => {
  expect(await outsideAfter(local, flags, false)).toEqual(untouched);
});

needs("bwrap")("auto, in a sandbox", async () => {
  expect(await outsideAfter(local, ["--permission-mode", "auto"], true)).toEqual(untouched);
});

test("a place that is not known is only written to in a sandbox", async () => {
  const commands = [
    'D=../x; rm -rf "$D"',
    "for f in ../x/a; do rm $f; done",
    "echo ../x/a | xargs rm",
    "echo x > $(echo ../x/a)",
  ];
  expect(await outsideAfter(commands, ["--permission-mode", "auto"], false)).toEqual(untouched);
});
