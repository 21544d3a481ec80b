// How much of what a command destroys can be undone does not depend on how fast the disk or the processor is: on a disk that takes
// milliseconds for each look, everything comes back, and the result says so.

import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { type CliStage, cliStage } from "../support/cli.js";
import { root } from "../support/run.js";
import { treeOf } from "../support/tree.js";

const bash = (command: string, id: string) => ({ calls: [{ id, tool: "run_command", input: { command } }] });
const write = (path: string, id: string) => ({
  calls: [{ id, tool: "write_file", input: { path, content: "new\n" } }],
});
const auto = ["--permission-mode", "auto", "--output-format", "json"];

/** Each look and each opening takes so many milliseconds. */
function slow(stage: CliStage, ms: number): Record<string, string> {
  const preload = join(root, "test/support/slow-disk.mjs");
  return {
    NODE_OPTIONS: `--import ${pathToFileURL(preload).href}`,
    CINCH_SLOW_MS: String(ms),
    CINCH_SLOW_PROJECT: stage.project,
  };
}

function filled(script: readonly object[]): CliStage {
  const stage = cliStage(script);
  for (let d = 0; d < 16; d++) {
    mkdirSync(join(stage.project, `d${d}/deep/er`), { recursive: true });
    for (let f = 0; f < 20; f++) writeFileSync(join(stage.project, `d${d}/deep/er/f${f}`), `${d} ${f}\n`);
  }
  return stage;
}

test.each([
  ["as the first command", [bash("rm -rf d*", "c1")]],
  ["after another", [bash("echo a > a", "c1"), bash("rm -rf d* a", "c2")]],
  ["after changes by tools", [write("new", "c1"), bash("rm -rf d*; mv new newer", "c2")]],
])("what a command deletes comes back whole from a slow disk: %s", { timeout: 120_000 }, async (_, calls) => {
  const stage = filled([...calls, { text: "done" }]);
  const before = treeOf(stage.project);
  const { exit, stdout, stderr } = await stage.run(["-p", "go", ...auto], { env: slow(stage, 2) });
  expect(exit, stderr).toBe(0);
  expect(readdirSync(stage.project).filter((name) => name.startsWith("d"))).toEqual([]);
  expect(JSON.parse(stdout).coverage).toBe("full");
  const undone = await stage.bare(["undo"]);
  expect([undone.exit, undone.stderr]).toEqual([0, ""]);
  expect(treeOf(stage.project)).toEqual(before);
});

test("a command that waits for its files to be kept can be cancelled, and then nothing of it has run", {
  timeout: 120_000,
}, async () => {
  const stage = filled([bash("rm -rf d*", "c1"), { text: "done" }]);
  const before = treeOf(stage.project);
  const live = stage.start(["-p", "go", "--permission-mode", "auto", "--output-format", "events"], {
    env: slow(stage, 100),
  });
  live.end();
  await live.line(({ type }) => type === "call.start");
  live.child.kill("SIGINT");
  const { exit, stdout } = await live.done;
  expect([exit, treeOf(stage.project)]).toEqual([130, before]);
  expect(stdout).toContain("Not run: cancelled before it began.");
});
