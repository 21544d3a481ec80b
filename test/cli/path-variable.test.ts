// The search path of the user as it is: directories on it that nobody may look at are in the way of no command.

import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cliStage } from "../support/cli.js";

test("commands run with a directory on PATH that cannot be looked at", async () => {
  const at = cliStage([
    { calls: [{ tool: "run_command", input: { command: "printf one > a.txt" } }] },
    { calls: [{ tool: "run_command", input: { command: "cat a.txt" } }] },
    { text: "{{result:-1}}" },
  ]);
  const around = join(at.home, "around");
  symlinkSync(around, around);
  const env = { PATH: `${around}:${join(at.home, "n".repeat(300))}:${process.env["PATH"]}` };
  const { exit, stdout, stderr } = await at.run(["-p", "go", "--permission-mode", "auto"], { env });
  expect([exit, stdout.trim(), stderr]).toEqual([0, "one", expect.not.stringContaining("internal")]);
});
