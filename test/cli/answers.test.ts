// Questions on the control channel: what is shown is what runs, and only an open question can be answered (SECURITY 44, 46).

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import buildDist from "../support/build.js";
import { cliStage, jsonLines } from "../support/cli.js";

beforeAll(buildDist);

const control = ["--input-format", "stream-json", "--output-format", "events"];
/** Looks like `echo safe` on a terminal that believes it. */
const nasty = "printf '%s' 'a\u202eb\u200b\x1b[2K\r\u{e0041}' > out.txt; # \x1b[1A\x1b[2Kecho safe";

test("44: a command with escapes, bidi and CR is shown escaped, and what runs is what was asked, byte for byte", async () => {
  const stage = cliStage([{ calls: [{ tool: "run_command", input: { command: nasty } }] }, { text: "done" }]);
  const cli = stage.start(["-p", "go", ...control]);
  const asked = await cli.line((line) => line.type === "approval.ask");
  const raw = cli.stdout.split("\n").find((line) => line.includes("approval.ask")) ?? "";
  expect(raw).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e\u200b]|\udb40/);
  expect(asked["view"]).toMatchObject({ command: nasty });
  cli.send({ type: "approval", id: asked["id"], decision: "allow" });
  cli.end();
  expect((await cli.done).exit).toBe(0);
  expect(readFileSync(join(stage.project, "out.txt"), "utf8")).toBe("a\u202eb\u200b\x1b[2K\r\u{e0041}");
});

test("46: an answer given before the question is refused and answers nothing", async () => {
  const stage = cliStage([{ calls: [{ tool: "run_command", input: { command: "touch out.txt" } }] }, { text: "done" }]);
  const cli = stage.start(["-p", "go", ...control]);
  cli.send({ type: "approval", id: "x", decision: "allow" });
  cli.send("y");
  const asked = await cli.line((line) => line.type === "approval.ask");
  cli.send({ type: "approval", id: asked["id"], decision: "deny" });
  cli.send({ type: "approval", id: asked["id"], decision: "allow" });
  cli.end();
  const { stdout } = await cli.done;
  const acks = jsonLines(stdout).filter((line) => line.type === "input.ack");
  expect(acks.map((line) => line["ok"])).toEqual([false, false, true, false]);
  expect(() => readFileSync(join(stage.project, "out.txt"))).toThrow(/ENOENT/);
});
