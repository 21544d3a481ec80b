// The slash commands that go on elsewhere or only look, without a terminal: on the control channel and with -p.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cliStage, jsonLines } from "../support/cli.js";

const write = { calls: [{ tool: "write_file", input: { path: "a.txt", content: "x\n" } }] };

/** The results of these prompts, one after the other, in one process. */
async function results(prompts: readonly string[], script: object[], args: string[] = []) {
  const stage = cliStage(script);
  const input = prompts.map((text) => JSON.stringify({ type: "user", text })).join("\n");
  const flags = ["--input-format", "stream-json", "--output-format", "stream-json", ...args];
  const run = await stage.run(flags, { input: `${input}\n` });
  const ends = jsonLines(run.stdout).filter(({ type }) => type === "result") as unknown as {
    result: string;
    detail?: string;
    session_id: string;
    subtype: string;
  }[];
  return { stage, ends };
}

test("/mode counts for the runs that follow", async () => {
  const { stage, ends } = await results(["/mode auto", "write", "/context"], [write, { text: "done" }]);
  expect(ends.map(({ subtype }) => subtype)).toEqual(["success", "success", "success"]);
  expect(existsSync(join(stage.project, "a.txt"))).toBe(true);
  expect(ends[2]?.result).toMatch(/instructions[\s\S]*counted by the provider/);
});

test("another mode leaves the session the same one", async () => {
  const { ends } = await results(["one", "/mode plan", "two"], [{ text: "hi" }]);
  expect(ends.map(({ subtype }) => subtype)).toEqual(["success", "success", "success"]);
  expect(new Set(ends.map(({ session_id }) => session_id)).size).toBe(1);
});

test("/clear begins a session, /resume comes back, /sessions lists both", async () => {
  const { ends } = await results(["one", "/clear", "two", "/sessions"], [{ text: "hi" }]);
  const [first, , second, list] = ends;
  expect(second?.session_id).not.toBe(first?.session_id);
  expect(list?.result).toContain(first?.session_id);
  expect(list?.result).toContain(second?.session_id);
});

test("/undo takes the files of the newest message back and leaves the conversation", async () => {
  const { stage, ends } = await results(["write", "/undo"], [write, { text: "done" }], ["--permission-mode", "auto"]);
  expect(ends[1]).toMatchObject({ subtype: "success", result: expect.stringContaining("a.txt") });
  expect(existsSync(join(stage.project, "a.txt"))).toBe(false);
});

test("/export writes this session; a name without a format is refused", async () => {
  const { stage, ends } = await results(["hello", "/export talk", "/export talk.md"], [{ text: "Good evening." }]);
  expect(ends.map(({ subtype }) => subtype)).toEqual(["success", "error_during_execution", "success"]);
  expect(readFileSync(join(stage.project, "talk.md"), "utf8")).toContain("Good evening.");
});

test("a model that does not exist is said, and the session goes on with the one before", async () => {
  const { ends } = await results(
    ["one", "/model nowhere/x", "two", "/model"],
    [{ text: "hi" }, { text: "still here" }],
  );
  expect(ends[1]).toMatchObject({ subtype: "error_during_execution", detail: expect.stringContaining("nowhere") });
  expect(ends[2]).toMatchObject({ subtype: "success" });
  expect(ends[3]?.result).toContain("scripted/");
});

test.each(["/tools", "/hooks", "/doctor", "/config", "/help keys", "/init"])("%s answers in text", async (command) => {
  const { ends } = await results([command], [{ text: "never" }]);
  expect(ends).toMatchObject([{ subtype: "success", num_turns: 0, result: expect.stringMatching(/\S/) }]);
});

test("/theme has no colours to change here, and /quit ends the input", async () => {
  const { ends } = await results(["/theme dark", "/quit", "never"], [{ text: "never" }]);
  expect(ends.map(({ subtype }) => subtype)).toEqual(["error_during_execution", "success"]);
});
