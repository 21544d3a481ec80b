// Runs that are talked to: control lines, signals, readers that go away.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cliStage, jsonLines, type Line } from "../support/cli.js";

const slow = { calls: [{ tool: "run_command", input: { command: "echo $$ > pid; exec sleep 600" } }] };
const write = { calls: [{ tool: "write_file", input: { path: "a.txt", content: "x\n" } }] };
const auto = ["--permission-mode", "auto"];
const both = ["--input-format", "stream-json", "--output-format", "stream-json"];
const is = (type: string, subtype?: string) => (line: Line) =>
  line.type === type && (!subtype || line.subtype === subtype);
const calling = (line: Line) => line.type === "assistant" && JSON.stringify(line).includes("tool_use");

describe("signals end a run in order", () => {
  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("%s is exit %d, with a result, and the command is gone", async (signal, code) => {
    const stage = cliStage([slow, { text: "never" }]);
    const cli = stage.start(["-p", "x", "--output-format", "events", ...auto]);
    cli.end();
    await cli.line(is("call.start"));
    cli.child.kill(signal);
    const { exit, stdout } = await cli.done;
    expect(exit).toBe(code);
    expect(jsonLines(stdout).at(-1)).toMatchObject({ type: "run.end", subtype: "error_cancelled", exit_code: code });
    const pid = Number(existsSync(join(stage.project, "pid")) ? readFileSync(join(stage.project, "pid"), "utf8") : 0);
    if (pid > 0) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });

  test("the result object carries the code of the signal", async () => {
    const cli = cliStage([slow]).start(["-p", "x", "--output-format", "stream-json", ...auto]);
    cli.end();
    await cli.line(calling);
    cli.child.kill("SIGTERM");
    const { exit, stdout } = await cli.done;
    expect([exit, jsonLines(stdout).at(-1)]).toEqual([
      143,
      expect.objectContaining({ type: "result", exit_code: 143 }),
    ]);
  });

  test("a session that was interrupted can be continued", async () => {
    const stage = cliStage([slow, { text: "went on" }]);
    const cli = stage.start(["-p", "x", "--output-format", "events", ...auto]);
    cli.end();
    await cli.line(is("call.start"));
    cli.child.kill("SIGINT");
    await cli.done;
    const again = await stage.run(["-c", "-p", "go on", "--max-turns", "1", "--output-format", "json"]);
    expect(jsonLines(again.stdout)[0]).toMatchObject({ session_id: jsonLines(cli.stdout)[0]?.["session"] });
  });
});

test("a pipe that never says anything is given up after a while, and said to be", async () => {
  const cli = cliStage([{ text: "answered" }]).start(["-p", "x"]);
  expect((await cli.done).exit).toBe(0);
  expect(cli.stdout).toBe("answered\n");
  expect(cli.stderr).toContain("Nothing came on standard input within 3 s");
});

test("a reader that goes away ends the run quietly", async () => {
  const cli = cliStage([slow, { text: "never" }]).start(["-p", "x", ...both, ...auto]);
  await cli.line(calling);
  cli.child.stdout.destroy();
  cli.send("makes it write an acknowledgement");
  cli.send("and another one");
  const { exit, stderr } = await cli.done;
  expect([exit, stderr]).toEqual([1, expect.not.stringContaining("wrong in Cinch")]);
  expect(stderr).toMatch(/^Nobody reads standard output any more/);
});

test("who says nothing on the control channel gets a result all the same, the last line there is", async () => {
  for (const format of ["stream-json", "events"]) {
    const args = ["-p", "", "--input-format", "stream-json", "--output-format", format];
    const { exit, stdout } = await cliStage([]).run(args, { input: "" });
    const last = { type: format === "events" ? "run.end" : "result", subtype: "success", num_turns: 0, exit_code: 0 };
    expect([exit, jsonLines(stdout).at(-1)]).toEqual([0, expect.objectContaining(last)]);
  }
});

test("a blank control line is acknowledged as what it is", async () => {
  const { stdout } = await cliStage([]).run(["-p", "", ...both], { input: '\n  \r\n{"type":"cancel"}\n' });
  const acks = jsonLines(stdout).filter(is("system", "ack"));
  expect(acks.map(({ line, ok }) => [line, ok])).toEqual([1, 2, 3].map((line) => [line, false]));
  expect(acks[0]).toMatchObject({ error: "the line is not a JSON object" });
});

describe("control lines", () => {
  test("user lines are runs, one after the other; every line is acknowledged once; the end of input ends it", async () => {
    const cli = cliStage([{ text: "one" }, { text: "two" }]).start(both);
    cli.send({ type: "user", text: "first" });
    cli.send("nonsense");
    cli.send({ type: "user", message: { role: "user", content: "second" } });
    cli.end();
    const { exit, stdout } = await cli.done;
    const lines = jsonLines(stdout);
    expect(exit).toBe(0);
    expect(lines.filter(is("system", "ack"))).toEqual([
      { type: "system", subtype: "ack", line: 1, ok: true },
      { type: "system", subtype: "ack", line: 2, ok: false, error: "the line is not a JSON object" },
      { type: "system", subtype: "ack", line: 3, ok: true },
    ]);
    expect(lines.filter(is("result")).map((line) => line["result"])).toEqual(["one", "two"]);
    expect(lines.at(-1)?.type).toBe("result");
  });

  test("-p is the first input; without any input nothing runs", async () => {
    const cli = cliStage([{ text: "one" }]).start([...both, "-p", "first"]);
    cli.end();
    expect(jsonLines((await cli.done).stdout).at(-1)).toMatchObject({ type: "result", result: "one" });
    const idle = cliStage().start(both);
    idle.end();
    const { exit, stdout } = await idle.done;
    expect([exit, jsonLines(stdout).map(({ type }) => type)]).toEqual([0, ["system", "result"]]);
  });

  test("an approval lets the call run", async () => {
    const stage = cliStage([write, { text: "done" }]);
    const cli = stage.start([...both, "-p", "x"]);
    const question = await cli.line(is("system", "approval"));
    expect(question).toMatchObject({
      id: expect.any(String),
      tool: "write_file",
      summary: expect.stringContaining("a.txt"),
    });
    expect(existsSync(join(stage.project, "a.txt"))).toBe(false);
    cli.send({ type: "approval", id: "wrong", decision: "allow" });
    cli.send({ type: "approval", id: question["id"], decision: "allow" });
    cli.end();
    const { exit, stdout } = await cli.done;
    expect(exit).toBe(0);
    expect(readFileSync(join(stage.project, "a.txt"), "utf8")).toBe("x\n");
    expect(
      jsonLines(stdout)
        .filter(is("system", "ack"))
        .map((line) => line["ok"]),
    ).toEqual([false, true]);
  });

  test("a denial reaches the model with its feedback", async () => {
    const stage = cliStage([write, { text: "understood" }]);
    const cli = stage.start([...both, "-p", "x"]);
    const question = await cli.line(is("system", "approval"));
    cli.send({ type: "approval", id: question["id"], decision: "deny", feedback: "use b.txt" });
    cli.end();
    const { stdout } = await cli.done;
    expect(existsSync(join(stage.project, "a.txt"))).toBe(false);
    const answer = jsonLines(stdout).find((line) => JSON.stringify(line).includes("tool_result"));
    expect(JSON.stringify(answer)).toContain("use b.txt");
  });

  test("when input has ended an open question is answered with no, and the run goes on to its end", async () => {
    const stage = cliStage([write, { text: "gave up" }]);
    const cli = stage.start([...both, "-p", "x"]);
    cli.end();
    const { stdout } = await cli.done;
    expect(jsonLines(stdout).at(-1)).toMatchObject({ type: "result", result: "gave up" });
    expect(existsSync(join(stage.project, "a.txt"))).toBe(false);
  });

  test("cancel ends the run and not the session; with nothing running it is refused", async () => {
    const cli = cliStage([slow, { text: "next" }]).start([...both, ...auto]);
    cli.send({ type: "cancel" });
    await cli.line((line) => line["line"] === 1);
    cli.send({ type: "user", text: "first" });
    await cli.line(calling);
    cli.send({ type: "cancel" });
    await cli.line(is("result", "error_cancelled"));
    cli.send({ type: "user", text: "second" });
    cli.end();
    const { exit, stdout } = await cli.done;
    expect([exit, jsonLines(stdout).at(-1)]).toEqual([0, expect.objectContaining({ result: "next" })]);
    expect(jsonLines(stdout).find(is("system", "ack"))).toMatchObject({ line: 1, ok: false });
  });

  test("steering now is in the very next request; in events the acknowledgement is an event", async () => {
    const first = { calls: [{ tool: "run_command", input: { command: "until [ -e go ]; do sleep 0.05; done" } }] };
    const stage = cliStage([first, { match: "be brief", text: "short" }]);
    const cli = stage.start(["--input-format", "stream-json", "--output-format", "events", "-p", "x", ...auto]);
    await cli.line(is("call.start"));
    cli.send({ type: "steer", mode: "now", text: "be brief" });
    expect(await cli.line(is("input.ack"))).toMatchObject({ line: 1, ok: true, agent: "main" });
    writeFileSync(join(stage.project, "go"), "");
    cli.end();
    const { exit, stdout } = await cli.done;
    const events = jsonLines(stdout);
    expect([exit, events.at(-1)]).toEqual([0, expect.objectContaining({ type: "run.end", result: "short" })]);
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(["steer.queued", "steer.delivered"]));
    expect(events.map((event) => event["seq"])).toEqual(events.map((_, index) => index + 1));
  });
});
