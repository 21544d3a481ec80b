// The benchmark end to end, a few turns long. Its shape and what does not depend on the machine; never a time.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Figure } from "../../src/bench/figure.js";
import { cinch, tempDir } from "../support/run.js";

test("bench --quick prints the table and writes the figures", async () => {
  const temp = tempDir();
  const file = join(temp, "figures.json");
  const outcome = await cinch(["bench", "--quick", "--json", file], { cwd: temp, env: { TMPDIR: temp } });
  expect(outcome).toMatchObject({ exit: 0, stderr: expect.not.stringContaining("stopped") });
  expect(outcome.stdout).toMatch(/^figure +cinch +floor +ratio/m);
  expect(outcome.stdout).toMatch(/targets reached/);

  const { figures, runs } = JSON.parse(readFileSync(file, "utf8")) as { figures: Figure[]; runs: object[] };
  const names = ["version", "first-request", "memory-1", "first-tokens", "wall-6", "cpu-6"];
  expect(figures.map((figure) => figure.name)).toEqual([
    ...names,
    ...["resume", "effective-explicit", "effective-automatic", "prefix-breaks", "refusal-turns"],
    ...["loops-missed", "loops-wrong", "loop-requests"],
    ...["lsp-definition", "lsp-overhead"],
    ...["forever-memory", "forever-lag"],
    ...["tasks-list", "tasks-shell", "tasks-memory"],
    ...["tasks-agents", "tasks-agents-cpu", "tasks-agents-memory", "tasks-agents-peak"],
    ...["terminal-ready", "terminal-written", "terminal-cleared", "terminal-cpu", "terminal-echo", "terminal-files"],
  ]);
  expect(runs).toHaveLength(4);
  const value = (name: string) => figures.find((figure) => figure.name === name)?.cinch;
  expect(value("first-tokens")).toBeGreaterThan(100);
  expect(value("first-tokens")).toBeLessThanOrEqual(1400);
  expect(value("prefix-breaks")).toBe(0);
  expect(value("tasks-shell")).toBe(0);
  expect(value("tasks-agents-peak")).toBe(8);
  expect(value("refusal-turns")).toBeGreaterThanOrEqual(1);
  expect(value("wall-6")).toBeGreaterThan(0);
  // Null where no terminal is to be had.
  expect([0, null]).toContain(value("terminal-cleared"));
  // It cleans up: neither a directory nor a process keeps what it needed.
  expect(readdirSync(temp).filter((name) => name.startsWith("cinch-bench-"))).toEqual([]);
}, 240_000);

test("a mistyped option is exit 2 with the valid ones, before anything runs", async () => {
  const { exit, stdout, stderr } = await cinch(["bench", "--fast"], { cwd: tempDir() });
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
  expect(stderr).toContain("--quick");
});
