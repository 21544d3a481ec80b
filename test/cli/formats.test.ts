// stdout by format, what joins the prompt, and that nothing else is ever on stdout.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { slashHelp } from "../../src/cli/slash/help-table.js";
import { cliStage, jsonLines } from "../support/cli.js";
import { needs } from "../support/needs.js";
import { cinch } from "../support/run.js";
import { TestTerminal } from "../support/terminal.js";
import { startAnthropic } from "../support/wire/anthropic.js";

const writing = [
  { calls: [{ id: "c1", tool: "write_file", input: { path: "a.txt", content: "one\n" } }] },
  { text: "Written." },
];
const edits = ["--permission-mode", "acceptEdits"];

describe("--output-format", () => {
  test("text: the answer alone", async () => {
    const stage = cliStage(writing);
    const { exit, stdout, stderr } = await stage.run(["-p", "write", ...edits]);
    expect([exit, stdout, stderr]).toEqual([0, "Written.\n", ""]);
    expect(readFileSync(join(stage.project, "a.txt"), "utf8")).toBe("one\n");
  });

  const steering = "a\x1b[31mred\x1b[2K\x1b]2;title\x07 \u202eend";

  test("text: a pipe or a file gets what the model said, character for character", async () => {
    const { exit, stdout } = await cliStage([{ text: steering }]).run(["-p", "say"]);
    expect([exit, stdout]).toEqual([0, `${steering}\n`]);
  });

  needs("python3")("text: in a terminal the same steers nothing, and hides nothing", async () => {
    const { project, home } = cliStage();
    writeFileSync(join(project, "script.json"), JSON.stringify([{ text: steering }]));
    const term = new TestTerminal(["-m", "scripted/script.json", "-p", "say"], { cwd: project, home });
    await term.until("ared \\u{202e}end");
    expect(await term.done).toBe(0);
    expect(term.bytes).not.toMatch(/\x1b\[31m|title|\xe2\x80\xae/);
  });

  test("json: one result object", async () => {
    const { exit, stdout } = await cliStage(writing).run(["-p", "write", "--output-format", "json", ...edits]);
    const [result, ...others] = jsonLines(stdout);
    expect([exit, others]).toEqual([0, []]);
    expect(result).toMatchObject({
      type: "result",
      subtype: "success",
      is_error: false,
      result: "Written.",
      num_turns: 2,
      total_cost_usd: null,
      exit_code: 0,
      files: [{ path: expect.stringContaining("a.txt"), before: null, after: expect.stringMatching(/^[0-9a-f]{64}$/) }],
      permission_denials: [],
    });
  });

  test("stream-json: init first, messages as they are logged, the result last", async () => {
    const { exit, stdout } = await cliStage(writing).run(["-p", "write", "--output-format", "stream-json", ...edits]);
    const lines = jsonLines(stdout);
    expect(exit).toBe(0);
    expect(lines.map(({ type, subtype }) => (subtype ? `${type}/${subtype}` : type))).toEqual([
      "system/init",
      "user",
      "assistant",
      "user",
      "assistant",
      "result/success",
    ]);
    expect(lines[0]).toMatchObject({ permission_mode: "acceptEdits", tools: expect.arrayContaining(["write_file"]) });
    expect(lines[2]).toMatchObject({
      message: { role: "assistant", content: [{ type: "tool_use", name: "write_file" }], stop_reason: "tool_use" },
      parent_tool_use_id: null,
      session_id: lines[0]?.["session_id"],
    });
    expect(lines[3]).toMatchObject({ message: { role: "user", content: [{ type: "tool_result", is_error: false }] } });
    expect(new Set(lines.slice(0, -1).map((line) => line["uuid"])).size).toBe(lines.length - 1);
  });

  test("stream-json: the messages of an agent name the call that gave it the task", async () => {
    const stage = cliStage();
    const tasks = [{ agent_name: "implement", prompt: "for implement" }];
    const main = [{ calls: [{ id: "outer", tool: "submit_agent_tasks", input: { tasks } }] }, { text: "done" }];
    const script = { main, agents: { implement: [{ text: "implemented" }] } };
    writeFileSync(join(stage.project, "../script.json"), JSON.stringify(script));
    const { exit, stdout } = await stage.run([
      "-p",
      "go",
      "--output-format",
      "stream-json",
      "--permission-mode",
      "auto",
    ]);
    const spoken = jsonLines(stdout).filter(({ type }) => type === "assistant" || type === "user");
    const said = spoken.flatMap((line) => {
      const { content } = line["message"] as { content: { text?: string }[] };
      return content.flatMap(({ text }) => (text ? [[line["type"], text, line["parent_tool_use_id"]]] : []));
    });
    expect(exit).toBe(0);
    expect(said).toEqual([
      ["user", "go", null],
      ["user", "for implement", "outer"],
      ["assistant", "implemented", "outer"],
      ["assistant", "done", null],
    ]);
    expect(new Set(spoken.map((line) => line["session_id"])).size).toBe(2);
    expect(spoken.every(({ message }) => (message as { model?: string }).model !== "")).toBe(true);
  });

  test("events: seq without gaps, run.end last with the fields of the result", async () => {
    const { exit, stdout } = await cliStage(writing).run(["-p", "write", "--output-format", "events", ...edits]);
    const events = jsonLines(stdout);
    expect(exit).toBe(0);
    expect(events.map((event) => event["seq"])).toEqual(events.map((_, index) => index + 1));
    expect(events[0]).toMatchObject({ type: "run.start", prompt: "write" });
    expect(events.at(-1)).toMatchObject({ type: "run.end", subtype: "success", result: "Written.", exit_code: 0 });
    for (const event of events) {
      expect(event).toMatchObject({
        session: events[0]?.["session"],
        agent: "main",
        time: expect.stringMatching(/Z$/),
      });
    }
  });
});

describe("the prompt", () => {
  const echo = [{ text: "{{result:-1}}" }, { match: "never", text: "no" }];
  const promptOf = (stdout: string) => jsonLines(stdout).find(({ type }) => type === "run.start")?.["prompt"];

  test("piped input is appended", async () => {
    const { stdout } = await cliStage().run(["-p", "review", "--output-format", "events"], { input: "a diff\n" });
    expect(promptOf(stdout)).toBe("review\n\na diff");
  });

  test("piped input alone is the prompt", async () => {
    const { stdout } = await cliStage().run(["--output-format", "events", "-p"], { input: "do it\n" });
    expect(promptOf(stdout)).toBe("do it");
  });

  test("the prompt may be the word after the flags, and look like a flag", async () => {
    const stage = cliStage();
    expect(promptOf((await stage.run(["say hi", "--output-format", "events", "-p"])).stdout)).toBe("say hi");
    const { exit, stdout } = await stage.run(["--output-format", "events", "-p", "--settings=/nowhere"]);
    expect([exit, promptOf(stdout)]).toEqual([0, "--settings=/nowhere"]);
  });

  test.each([
    [["-p"], ""],
    [["-p", "  "], " \n"],
  ])("an empty prompt is exit 2: %j", async (args, input) => {
    const { exit, stdout, stderr } = await cliStage(echo).run(args, { input });
    expect([exit, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("The prompt is empty.");
  });
});

describe("sessions", () => {
  test("-c and -r go on with a session, and a wrong id says so", async () => {
    const stage = cliStage([{ text: "first" }]);
    const first = jsonLines((await stage.run(["-p", "one", "--output-format", "json"])).stdout)[0];
    const id = String(first?.["session_id"]);
    const again = await stage.run(["-c", "-p", "two", "--output-format", "json"]);
    expect(jsonLines(again.stdout)[0]).toMatchObject({ session_id: id });
    const named = await stage.run(["-r", id.slice(0, 8), "-p", "three", "--output-format", "json"]);
    expect(jsonLines(named.stdout)[0]).toMatchObject({ session_id: id });
    const wrong = await stage.run(["-r", "zzzzzzzz", "-p", "x"]);
    expect(wrong.exit).not.toBe(0);
    expect(wrong.stderr).toContain("zzzzzzzz");
  });

  test("-c without a session is one sentence and no session", async () => {
    const stage = cliStage();
    const { exit, stdout, stderr } = await stage.run(["-c", "-p", "x"]);
    expect([exit, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("no session");
  });
});

test("files on the command line are found from where it was typed", async () => {
  const stage = cliStage();
  writeFileSync(join(stage.project, "mine.json"), '{"limits": {"turns": "x"}}');
  const { exit, stderr } = await stage.run(["-p", "x", "--settings", "mine.json", "--cwd", ".."]);
  expect(exit).toBe(2);
  expect(stderr).toContain(`${join(stage.project, "mine.json")}:1: limits.turns is "x"`);
});

test("--record writes a cassette that plays again; a script has nothing to record", async () => {
  const stage = cliStage();
  const server = await startAnthropic([{ text: "recorded" }]);
  onTestFinished(() => server.close());
  const env = { ANTHROPIC_API_KEY: "sk-secret", ANTHROPIC_BASE_URL: server.url };
  const taped = await stage.bare(["-p", "x", "--record", "tape.jsonl"], { env });
  expect([taped.exit, taped.stdout]).toEqual([0, "recorded\n"]);
  expect(taped.stderr).toMatch(/^Model: anthropic\/\S+, because ANTHROPIC_API_KEY is set\.\n$/);
  expect(readFileSync(join(stage.project, "tape.jsonl"), "utf8")).not.toContain("sk-secret");
  const played = await stage.bare(["-p", "x", "-m", "cassette/tape.jsonl"]);
  expect([played.exit, played.stdout]).toEqual([0, "recorded\n"]);
  const nothing = await stage.run(["-p", "x", "--record", "none.jsonl"]);
  expect([nothing.exit, nothing.stderr]).toEqual([2, expect.stringContaining("nothing to record")]);
  const work = join(stage.project, "work.txt");
  writeFileSync(work, "my work\n");
  const over = await stage.bare(["-p", "x", "--record", "work.txt"], { env });
  expect([over.exit, over.stderr, readFileSync(work, "utf8")]).toEqual([
    2,
    expect.stringContaining("exists already. Nothing was changed."),
    "my work\n",
  ]);
  const tape = readFileSync(join(stage.project, "tape.jsonl"), "utf8");
  expect((await stage.bare(["-p", "x", "--record", "tape.jsonl"], { env })).exit).toBe(2);
  expect(readFileSync(join(stage.project, "tape.jsonl"), "utf8")).toBe(tape);
});

test("an answer that fits --json-schema is in structured_output; another fails with exit 1", async () => {
  const stage = cliStage([{ text: '{"n": 3}' }]);
  const schema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  writeFileSync(join(stage.project, "schema.json"), JSON.stringify(schema));
  const args = ["-p", "x", "--output-format", "json", "--json-schema", "schema.json"];
  const { exit, stdout } = await stage.run(args);
  expect([exit, jsonLines(stdout)[0]?.["structured_output"]]).toEqual([0, { n: 3 }]);
  const prose = await cliStage([{ text: "three", repeat: 9 }]).run([
    ...args.slice(0, -1),
    join(stage.project, "schema.json"),
  ]);
  expect(prose.exit).toBe(1);
});

test("nothing is written into the project by looking at it", async () => {
  const stage = cliStage();
  await stage.run(["-p", "hi"]);
  expect(existsSync(join(stage.project, ".cinch"))).toBe(false);
});

test("--version and --help", async () => {
  const stage = cliStage();
  for (const args of [["--version"], ["--verbose", "--version"]]) {
    const { exit, stdout } = await cinch(args, { cwd: stage.project });
    expect([exit, stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
  }
  const { exit, stdout } = await stage.bare(["--help"]);
  expect([exit, stdout.includes("--output-format")]).toEqual([0, true]);
  expect(stdout).toMatch(/^cinch .*\ncinch "what to do" /);
  for (const { name, doc } of await slashHelp()) {
    expect(stdout).toContain(`\n  /${name} `);
    expect(stdout).toContain(doc);
  }
  expect((await stage.bare(["models", "--help"])).stdout).toContain("--json");
});
