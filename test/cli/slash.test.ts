// Slash commands of the shipped program: answered by Cinch itself, in every output format, without a request.

import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cliStage, jsonLines } from "../support/cli.js";

test("a prompt that is a slash command is answered without the model, and keeps no session", async () => {
  const stage = cliStage([{ text: "the model spoke" }]);
  const { exit, stdout } = await stage.run(["-p", "/help"]);
  expect([exit, stdout]).toEqual([0, expect.stringMatching(/^\/help \[keys\] +The commands/m)]);
  const kept = readdirSync(join(stage.home, "sessions"), { recursive: true, encoding: "utf8" });
  expect(kept.filter((name) => name.endsWith(".jsonl"))).toEqual([]);
});

test("a prompt that only looks like one goes to the model", async () => {
  const { stdout } = await cliStage([{ text: "the model spoke" }]).run(["-p", "/etc/hosts is broken"]);
  expect(stdout).toBe("the model spoke\n");
});

test.each(["json", "stream-json", "events"])("%s ends in a result with its text and no turn", async (format) => {
  const { exit, stdout } = await cliStage().run(["-p", "/help", "--output-format", format]);
  const last = jsonLines(stdout).at(-1);
  expect([exit, last]).toEqual([
    0,
    expect.objectContaining({
      type: format === "events" ? "run.end" : "result",
      subtype: "success",
      num_turns: 0,
      exit_code: 0,
      result: expect.stringContaining("/help"),
    }),
  ]);
});

test("a user line of the control channel is one as well, between runs of the model", async () => {
  const stage = cliStage([{ text: "one" }, { text: "two" }]);
  const lines = ["first", "/help", "second"].map((text) => JSON.stringify({ type: "user", text }));
  const args = ["--input-format", "stream-json", "--output-format", "stream-json"];
  const { stdout } = await stage.run(args, { input: lines.join("\n") });
  const results = jsonLines(stdout).filter(({ type }) => type === "result");
  expect(results.map(({ result, num_turns }) => [/^one$|^two$|\/help/.exec(String(result))?.[0], num_turns])).toEqual([
    ["one", 1],
    ["/help", 0],
    ["two", 1],
  ]);
});

test("/compact takes the words behind it as what is to be kept, and its result has what it took", async () => {
  const stage = cliStage([
    { text: "long ".repeat(2_000) },
    { match: "kept in particular: the schema", text: "In short.", usage: { in: 900, out: 9 } },
    { match: "Summary\nIn short\\.", text: "going on" },
  ]);
  const lines = ["first", "/compact the schema", "second"].map((text) => JSON.stringify({ type: "user", text }));
  const args = ["--input-format", "stream-json", "--output-format", "stream-json"];
  const { stdout } = await stage.run(args, { input: lines.join("\n") });
  const results = jsonLines(stdout).filter(({ type }) => type === "result");
  expect(results).toMatchObject([
    { subtype: "success", num_turns: 1 },
    { subtype: "success", num_turns: 1, usage: { input_tokens: 900, output_tokens: 9 } },
    { subtype: "success", result: "going on" },
  ]);
  expect(results[1]).toMatchObject({ result: expect.stringContaining("messages were compacted") });
});

test("/compact says why it was not done, with the exit code of a run that ends so", async () => {
  const stage = cliStage([{ text: "long ".repeat(2_000) }, { fail: "auth" }]);
  const first = await stage.run(["-p", "first"], { env: { CINCH_HOME: stage.home } });
  expect(first.exit).toBe(0);
  const script = join(stage.project, "..", "script.json");
  writeFileSync(script, JSON.stringify([{ fail: "auth" }]));
  const { exit, stderr } = await stage.run(["-c", "-p", "/compact"], { env: { CINCH_HOME: stage.home } });
  expect([exit, stderr]).toEqual([3, expect.stringContaining("auth")]);
  const empty = await stage.run(["-p", "/compact"]);
  expect([empty.exit, empty.stdout]).toEqual([0, "Nothing was said yet.\n"]);
});
