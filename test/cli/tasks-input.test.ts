// Agents and a conversation by control lines: whoever sent them is there until input ends, and then agents are waited for.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import buildDist from "../support/build.js";
import { cliStage, type Line } from "../support/cli.js";
import { eventually, taskRecords } from "../support/tasks.js";

beforeAll(buildDist);

const control = ["--output-format", "stream-json", "--input-format", "stream-json", "--permission-mode", "auto"];

/** A session whose agent works until the file `go` is there. */
function working(settings: object = {}) {
  const stage = cliStage();
  const more = join(stage.home, "more.json");
  writeFileSync(more, JSON.stringify({ sandbox: { mode: "off" }, ...settings }));
  const submit = { tasks: [{ agent_name: "implement", prompt: "work" }], wait: false };
  const waits = "until [ -e go ]; do sleep 0.02; done";
  const script = {
    main: [
      { calls: [{ tool: "submit_agent_tasks", input: submit }] },
      { text: "under way" },
      { match: "it is done", text: "thanks" },
    ],
    agents: {
      implement: [{ calls: [{ tool: "run_command", input: { command: waits } }] }, { text: "it is done" }],
    },
  };
  writeFileSync(join(stage.project, "../script.json"), JSON.stringify(script));
  const live = stage.start([...control, "--settings", more]);
  live.send({ type: "user", text: "go" });
  const running = () =>
    eventually(() => existsSync(join(stage.home, "tasks")) && taskRecords(stage.home)[0]?.state === "running");
  return { stage, live, running, letGo: () => writeFileSync(join(stage.project, "go"), "") };
}

const results = (stdout: string) =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line)
    .filter(({ type }) => type === "result")
    .map(({ result }) => result);

test("input ends between two runs: the agent is waited for, the model hears of its end, and that result is the last line", async () => {
  const { stage, live, running, letGo } = working();
  await live.line(({ type }) => type === "result");
  await running();
  live.end();
  letGo();
  const { exit, stdout } = await live.done;
  expect([exit, results(stdout)]).toEqual([0, ["under way", "thanks"]]);
  expect(taskRecords(stage.home)).toMatchObject([{ state: "succeeded", told: true }]);
  expect(stdout.trimEnd().split("\n").at(-1)).toContain('"type":"result"');
});

test("input ends during a run: it goes on until the agent has ended, with one result", async () => {
  const { stage, live, running, letGo } = working();
  live.end();
  await running();
  letGo();
  const { exit, stdout } = await live.done;
  expect([exit, results(stdout)]).toEqual([0, ["thanks"]]);
  expect(taskRecords(stage.home)).toMatchObject([{ state: "succeeded", told: true }]);
});

test("a signal ends the waiting, and the agent is interrupted", async () => {
  const { stage, live, running } = working();
  await live.line(({ type }) => type === "result");
  await running();
  live.end();
  live.child.kill("SIGTERM");
  expect((await live.done).exit).toBe(143);
  expect(taskRecords(stage.home)).toMatchObject([{ state: "interrupted" }]);
});

test("tasks.wake: while input is open the end of a task begins a run that has its result", async () => {
  const { stage, live, running, letGo } = working({ tasks: { wake: true } });
  await live.line(({ type }) => type === "result");
  await running();
  letGo();
  await live.line(({ type, result }) => type === "result" && result === "thanks");
  expect(taskRecords(stage.home)).toMatchObject([{ state: "succeeded", told: true }]);
  live.end();
  const { exit, stdout } = await live.done;
  expect([exit, results(stdout)]).toEqual([0, ["under way", "thanks"]]);
});
