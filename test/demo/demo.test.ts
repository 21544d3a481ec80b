// The demo of the README, run as a user runs it.

import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { cleanEnv, root, runNode, shellWords, tempDir } from "../support/run.js";

const field = (text: string, name: string) => new RegExp(`^${name} +(.+)$`, "m").exec(text)?.[1] ?? "";

test("the demo builds, serves, fetches and stops the app", async () => {
  const temp = tempDir();
  const { exit, stdout, stderr } = await runNode([join(root, "scripts/demo.mjs")], {
    cwd: temp,
    env: { TMPDIR: temp },
  });
  expect(stderr).toBe("");
  expect(exit).toBe(0);
  expect(stdout.split("\n")[0]).toMatch(/^No model is used here: the built-in scripted model/);

  const project = field(stdout, "directory");
  expect(project.startsWith(temp)).toBe(true);
  for (const name of readdirSync(join(root, "demo/pomodoro"))) {
    expect(readFileSync(join(project, name), "utf8")).toBe(readFileSync(join(root, "demo/pomodoro", name), "utf8"));
  }
  expect(readFileSync(join(project, "app.js"), "utf8").split("\n").length).toBeGreaterThan(300);

  const signs = stdout.split("\n").filter((line) => /^ {2}[✓✗] /.test(line));
  const named = (tool: string) => signs.filter((line) => line.includes(tool)).length;
  expect(named("append_file")).toBeGreaterThanOrEqual(3);
  expect(named("run_command")).toBe(2);
  expect(signs.filter((line) => line.includes("✗"))).toEqual([expect.stringContaining("write_file")]);
  expect(stdout).toMatch(/fetched +http:\/\/127\.0\.0\.1:\d+\/app\.js +200, \d+ bytes/);

  const port = /http:\/\/127\.0\.0\.1:(\d+)\//.exec(stdout)?.[1];
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
  const pid = Number(/stopped +the server, pid (\d+)/.exec(stdout)?.[1]);
  expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);

  const log = field(stdout, "log");
  expect(existsSync(log)).toBe(true);
  const goOn = join(temp, "go-on.json");
  writeFileSync(goOn, JSON.stringify([{ match: "theme", text: "Welcome back." }]));
  // The line that it prints, typed as it is into a shell.
  const line = `${field(stdout, "go on")} -m ${shellWords([`scripted/${goOn}`])}`;
  const again = await promisify(execFile)("bash", ["-c", line], { cwd: temp, env: cleanEnv() });
  expect(again.stdout).toContain("Welcome back.");
});
