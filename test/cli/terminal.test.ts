// What the program leaves of the terminal it was started in (SECURITY D 102, 103): the modes are as before, however it
// ends, and while it is stopped.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect } from "vitest";
import { cliStage } from "../support/cli.js";
import { needs } from "../support/needs.js";
import { bin, cleanEnv, root } from "../support/run.js";

interface Report {
  before: unknown[];
  stopped: unknown[] | null;
  after: unknown[] | null;
  status: number;
}

async function typed(keys: string, script: readonly object[], wanted: string): Promise<Report> {
  const stage = cliStage(script);
  const base = join(stage.home, "..");
  const report = join(base, "report.json");
  const command = [process.execPath, bin, "-m", `scripted/${join(base, "script.json")}`, "-p", "go"];
  const options = ["--permission-mode", "auto", "--settings", join(base, "settings.json"), "--output-format", "events"];
  const terminal = [join(root, "test/support/terminal.py"), report, wanted, keys, ...command, ...options];
  const env = cleanEnv({ CINCH_HOME: stage.home });
  await promisify(execFile)("python3", terminal, { cwd: stage.project, env });
  return JSON.parse(readFileSync(report, "utf8")) as Report;
}

const sleeping = [{ calls: [{ tool: "run_command", input: { command: "sleep 600" } }] }];
const text = "a long answer, said slowly ".repeat(10);
const slow = [{ text, chunk: 20, delay_ms: 20 }];

describe("the terminal's modes", () => {
  const test = needs("python3");

  for (const [keys, status] of [
    ["^C", 130],
    ["^C,^C", 130],
    ["TERM", 143],
  ] as const) {
    test(`${keys}: exit ${status}, as before`, async () => {
      const report = await typed(keys, sleeping, '"call.start"');
      expect(report).toMatchObject({ status, stopped: null });
      expect(report.after).toEqual(report.before);
    });
  }

  test("the window is closed: exit 129", async () => {
    expect(await typed("CLOSE", sleeping, '"call.start"')).toMatchObject({ status: 129, after: null });
  });

  test("^Z and continued: as before while it is stopped, and after its end", async () => {
    const report = await typed("^Z", slow, '"text.delta"');
    expect(report).toMatchObject({ status: 0, stopped: report.before, after: report.before });
  });
});
