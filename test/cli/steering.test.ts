// Steering through the shipped program: what was acknowledged survives kill -9; /loop and --loop say what runs did.

import { expect, test } from "vitest";
import { cliStage, jsonLines, type Line } from "../support/cli.js";

const slow = { calls: [{ tool: "run_command", input: { command: "exec sleep 600" } }] };
const stream = ["--input-format", "stream-json", "--output-format", "events", "--permission-mode", "auto"];
const is = (type: string) => (line: Line) => line.type === type;

test("acknowledged steering survives kill -9 and is said in the next run", async () => {
  const stage = cliStage([slow, { text: "killed here" }]);
  const cli = stage.start([...stream, "-p", "first"]);
  await cli.line(is("call.start"));
  cli.send({ type: "steer", mode: "now", text: "use tabs" });
  expect(await cli.line(is("input.ack"))).toMatchObject({ line: 1, ok: true });
  cli.child.kill("SIGKILL");
  await cli.done;

  const shown = await stage.bare(["sessions", "show", "--loop"]);
  expect(shown.stdout).toMatch(/^run 1 +running\n/);
  expect(shown.stdout).toContain('waiting     now: "use tabs"');

  const resumed = cliStage([{ match: "use tabs", text: "with tabs" }]);
  const env = { CINCH_HOME: stage.home };
  const args = ["-c", "-p", "go on", "--cwd", stage.project, "--output-format", "json"];
  const { exit, stdout, stderr } = await resumed.run(args, { env });
  expect([exit, jsonLines(stdout)[0]]).toEqual([0, expect.objectContaining({ result: "with tabs", undelivered: [] })]);
  expect(stderr).toContain("steered in before the session ended");
});

test("a signal lists what was not delivered, in the result and on stderr", async () => {
  const stage = cliStage([slow, { text: "never" }]);
  const cli = stage.start([...stream, "-p", "first"]);
  await cli.line(is("call.start"));
  cli.send({ type: "steer", mode: "queue", text: "and then rest" });
  await cli.line(is("steer.queued"));
  cli.child.kill("SIGINT");
  const { exit, stdout, stderr } = await cli.done;
  expect([exit, jsonLines(stdout).at(-1)?.["undelivered"]]).toEqual([130, ["and then rest"]]);
  expect(stderr).toContain('Never reached the model: "and then rest"');
});

test("/loop status and sessions show --loop: state, way, counts, reminders", async () => {
  const again = { calls: [{ tool: "run_command", input: { command: "exit 3" } }], repeat: 6 };
  const stage = cliStage([again, { text: "I give up." }]);
  const lines = ["go", "/loop status", "/loop nonsense"].map((text) => JSON.stringify({ type: "user", text }));
  const format = ["--input-format", "stream-json", "--output-format", "stream-json", "--permission-mode", "auto"];
  const { stdout } = await stage.run(format, { input: lines.join("\n") });
  const [run, status, refused] = jsonLines(stdout).filter(is("result"));
  expect(run).toMatchObject({ subtype: "error_loop_detected", exit_code: 5 });
  const text = String(status?.["result"]);
  expect(text).toMatch(/^run 1 +failed\npath +created → running → failed\ncounts +7 requests, 6 calls, 0 retries/);
  expect(text).toMatch(/reminder 3 +same, 5 rounds\nstopped +as a loop: same, 6 rounds/);
  expect(refused).toMatchObject({ is_error: true, detail: expect.stringContaining('does not know "nonsense"') });

  const { stdout: json } = await stage.bare(["sessions", "show", "--loop", "--json"]);
  expect(JSON.parse(json)).toMatchObject({
    session_id: run?.["session_id"],
    waiting: [],
    runs: [{ state: "failed", reminders: [{ n: 1 }, { n: 2 }, { n: 3 }], stopped: { shape: "same", count: 6 } }],
  });
});
