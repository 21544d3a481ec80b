// A pipeline that is silent at first: it is waited for, as any filter does. The writer here says nothing before the program has
// said that it waits, so the seconds are the program's and not the test's.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { cliStage } from "../support/cli.js";
import { bin, cleanEnv, shellWords } from "../support/run.js";

interface Ended {
  exit: number;
  stdout: string;
  stderr: string;
}

/** `writer | cinch -p q flags`, in a shell. */
function pipeline(writer: string, flags = ""): Promise<Ended> {
  const { project, home } = cliStage([{ match: "PIPED", text: "read it" }]);
  const heard = "until grep -q 'waiting for the end of the pipeline' err || [ -e over ]; do sleep 0.05; done";
  const program = `${shellWords([process.execPath, bin])} -p q -m scripted/../script.json ${flags}`;
  const reader = `{ ${program} 2>err; code=$?; touch over; exit $code; }`;
  const line = `: >err; (${heard}; ${writer}) | ${reader}; code=$?; cat err >&2; exit $code`;
  const options = { cwd: project, env: cleanEnv({ CINCH_HOME: home }) };
  return new Promise((resolve) => {
    execFile("bash", ["-c", line], options, (error, stdout, stderr) =>
      resolve({ exit: typeof error?.code === "number" ? error.code : 0, stdout, stderr }),
    );
  });
}

const linux = existsSync("/proc/self/fdinfo");

test.runIf(linux)("what it says in the end is part of the prompt", async () => {
  const { exit, stdout } = await pipeline("echo PIPED");
  expect([exit, stdout]).toEqual([0, "read it\n"]);
});

test.runIf(linux)("--max-time ends the wait: exit 6, with a result", async () => {
  const writer = "until [ -e over ]; do sleep 0.05; done";
  const { exit, stdout, stderr } = await pipeline(writer, "--max-time 1 --output-format json");
  expect([exit, JSON.parse(stdout)]).toEqual([6, expect.objectContaining({ subtype: "error_budget", exit_code: 6 })]);
  expect(stderr).toContain("--max-time");
});
