// Signals in every phase of the shipped program (SECURITY D 102-104): one ends it in order, more end it at once, and the
// log is whole afterwards.

import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cliStage, jsonLines, type Line, type LiveCli } from "../support/cli.js";
import { bin, cleanEnv, shellWords } from "../support/run.js";

const auto = ["--permission-mode", "auto"];
const stream = ["--input-format", "stream-json", "--output-format", "events"];
const is = (type: string) => (line: Line) => line.type === type;
const text = "a long answer, said slowly ".repeat(40);

interface Phase {
  script: object[];
  args: string[];
  /** Resolves when the phase has been reached. */
  reached(cli: LiveCli): Promise<unknown>;
}

const phases: Record<string, Phase> = {
  "waiting for input": {
    script: [{ text: "hi" }],
    args: [...stream, "-p", "go"],
    reached: (cli) => cli.line(is("run.end")),
  },
  streaming: {
    script: [{ text, chunk: 5, delay_ms: 50 }],
    args: ["-p", "go", "--output-format", "events"],
    reached: (cli) => cli.line(is("text.delta")),
  },
  "in a command": {
    script: [{ calls: [{ tool: "run_command", input: { command: "sleep 600" } }] }],
    args: ["-p", "go", "--output-format", "events", ...auto],
    reached: (cli) => cli.line(is("call.start")),
  },
  "at a question": {
    script: [{ calls: [{ tool: "write_file", input: { path: "a", content: "b" } }] }],
    args: [...stream, "-p", "go"],
    reached: (cli) => cli.line(is("approval.ask")),
  },
  compacting: {
    script: [{ text: text.repeat(200) }, { text, chunk: 5, delay_ms: 50 }],
    args: [...stream, "-p", text.repeat(20)],
    async reached(cli) {
      await cli.line(is("run.end"));
      cli.send({ type: "user", text: "/compact" });
      await cli.line(is("compact.start"));
    },
  },
  "shutting down": {
    script: [{ text: "hi" }],
    args: ["-p", "go", "--output-format", "events"],
    reached: (cli) => cli.line(is("run.end")),
  },
};
const cases = Object.entries(phases).flatMap(([name, phase]) =>
  [1, 2, 3].map((times) => [name, times, phase] as const),
);

describe("D 102: SIGINT", () => {
  test.each(cases)("%s, %d times", async (name, times, { script, args, reached }) => {
    const stage = cliStage(script);
    const cli = stage.start(args);
    if (!args.includes("--input-format")) cli.end();
    await reached(cli);
    for (let at = 0; at < times; at++) cli.child.kill("SIGINT");
    const { exit, stderr } = await cli.done;
    // A run that has ended already ended well.
    expect(name === "shutting down" ? [0, 130] : [130]).toContain(exit);
    expect(stderr).not.toContain("wrong in Cinch");
    expect((await stage.bare(["sessions", "verify"])).exit).toBe(0);
  });
});

test("D 103: stopped and continued, the run goes on where it was", async () => {
  const stage = cliStage([{ text, chunk: 50, delay_ms: 20 }]);
  const cli = stage.start(["-p", "go", "--output-format", "events"]);
  cli.end();
  await cli.line(is("text.delta"));
  cli.child.kill("SIGSTOP");
  const state = () => /\) (\w) /.exec(readFileSync(`/proc/${cli.child.pid}/stat`, "latin1"))?.[1];
  while (state() !== "T") await new Promise((resolve) => setTimeout(resolve, 5));
  cli.child.kill("SIGCONT");
  const { exit, stdout } = await cli.done;
  expect([exit, jsonLines(stdout).at(-1)]).toEqual([0, expect.objectContaining({ subtype: "success", result: text })]);
});

test("D 103, 104: the program behind the pipe goes away", () => {
  const stage = cliStage([{ text, chunk: 5, delay_ms: 5, repeat: 3 }]);
  const script = join(stage.home, "..", "script.json");
  const command = `${shellWords([process.execPath, bin, "-m", `scripted/${script}`])} -p go --output-format events </dev/null | head -n 1; echo "\${PIPESTATUS[0]}" >&2`;
  const env = cleanEnv({ CINCH_HOME: stage.home });
  const options = { cwd: stage.project, env, encoding: "utf8", stdio: "pipe" } as const;
  const first = execFileSync("bash", ["-c", `{ ${command}; } 2>&1`], options)
    .trimEnd()
    .split("\n");
  expect(jsonLines(first[0] ?? "")).toMatchObject([{ type: "run.start" }]);
  // No stack, no loop of errors about errors: at most a sentence, then the exit code.
  expect(first.slice(1).join("\n")).not.toMatch(/\n {4}at |EPIPE/);
  expect([first.at(-1), first.length < 5]).toEqual(["1", true]);
});

test("D 104: with nobody reading anything it ends all the same", async () => {
  const stage = cliStage([{ calls: [{ tool: "run_command", input: { command: "echo on" } }] }, { text }]);
  const args = [
    bin,
    "-m",
    `scripted/${join(stage.home, "..", "script.json")}`,
    "-p",
    "go",
    "--output-format",
    "events",
    "--verbose",
  ];
  const child = spawn(process.execPath, [...args, ...auto], {
    cwd: stage.project,
    env: cleanEnv({ CINCH_HOME: stage.home }),
    stdio: "pipe",
  });
  child.stdin.end();
  child.stdout.destroy();
  child.stderr.destroy();
  const exit = await new Promise((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal)));
  expect(exit).toBe(1);
  expect((await stage.bare(["sessions", "verify"])).exit).toBe(0);
});
