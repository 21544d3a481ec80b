// Exit codes and what stderr says with them (CONTRACT §2), and that bad input of every kind is refused by name.

import { spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cliStage, jsonLines } from "../support/cli.js";
import { bin, cleanEnv } from "../support/run.js";

const write = (path: string, content = "x\n") => ({ calls: [{ tool: "write_file", input: { path, content } }] });
const run = (command: string) => ({ calls: [{ tool: "run_command", input: { command } }] });
const json = ["--output-format", "json"];

describe("exit codes", () => {
  test("1: the model failed for good", async () => {
    const { exit, stdout, stderr } = await cliStage([{ fail: "request" }]).run(["-p", "x", ...json]);
    expect([exit, jsonLines(stdout)[0]?.subtype]).toEqual([1, "error_during_execution"]);
    expect(stderr.trim()).not.toBe("");
  });

  test("3: no model, and the ways to get one", async () => {
    const stage = cliStage();
    const text = await stage.bare(["-p", "x"]);
    expect([text.exit, text.stdout]).toEqual([3, ""]);
    expect(text.stderr).toMatch(/ANTHROPIC_API_KEY[\s\S]*-m /);
    for (const format of ["json", "stream-json", "events"]) {
      const { exit, stdout } = await stage.bare(["-p", "x", "--output-format", format]);
      const [line, ...others] = jsonLines(stdout);
      expect([exit, others]).toEqual([3, []]);
      expect(line).toMatchObject({ subtype: "error_auth", session_id: "", is_error: true, exit_code: 3 });
      expect(line?.type).toBe(format === "events" ? "run.end" : "result");
    }
  });

  test("3: the key is refused, after one attempt", async () => {
    const { exit, stdout } = await cliStage([{ fail: "auth" }, { text: "never" }]).run(["-p", "x", ...json]);
    expect([exit, jsonLines(stdout)[0]]).toEqual([3, expect.objectContaining({ subtype: "error_auth", exit_code: 3 })]);
  });

  test("5: stopped as a loop, with a summary", async () => {
    const again = { calls: [{ tool: "run_command", input: { command: "exit 3" } }], repeat: 6 };
    const args = ["-p", "x", "--permission-mode", "auto", ...json];
    const { exit, stdout, stderr } = await cliStage([again, { text: "It keeps failing." }]).run(args);
    expect([exit, jsonLines(stdout)[0]]).toEqual([
      5,
      expect.objectContaining({ subtype: "error_loop_detected", exit_code: 5, result: "It keeps failing." }),
    ]);
    expect(stderr).toContain("same call 6 times");
    expect(stderr).toContain("round in circles (same, 6 turns)");
  });

  test.each([
    ["SIGHUP", 129],
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s: %d", async (signal, code) => {
    const cli = cliStage([run("sleep 600")]).start([
      "-p",
      "x",
      "--permission-mode",
      "auto",
      "--output-format",
      "events",
    ]);
    cli.end();
    await cli.line((line) => line.type === "call.start");
    cli.child.kill(signal);
    const { exit, stdout } = await cli.done;
    expect([exit, jsonLines(stdout).at(-1)]).toMatchObject([code, { subtype: "error_cancelled", exit_code: code }]);
  });

  test("6: a limit of turns, of calls, of time", async () => {
    const busy = [...Array(9).keys()].map((n) => write(`${n}.txt`));
    const args = ["-p", "x", "--permission-mode", "auto", ...json];
    const turns = await cliStage(busy).run([...args, "--max-turns", "2"]);
    expect([turns.exit, jsonLines(turns.stdout)[0]]).toEqual([
      6,
      expect.objectContaining({ subtype: "error_max_turns", num_turns: 2 }),
    ]);
    const calls = await cliStage(busy).run([...args, "--max-tool-calls", "1"]);
    expect([calls.exit, jsonLines(calls.stdout)[0]?.subtype]).toEqual([6, "error_budget"]);
    const tokens = await cliStage(busy).run([...args, "--max-tokens", "1"]);
    expect([tokens.exit, jsonLines(tokens.stdout)[0]?.subtype]).toEqual([6, "error_budget"]);
  });

  test("2: a limit in dollars without a known price", async () => {
    const { exit, stderr } = await cliStage().run(["-p", "x", "--max-cost", "1"]);
    expect(exit).toBe(2);
    expect(stderr).toMatch(/price/);
  });

  test("7: denied because nobody could answer; the first line names the flag", async () => {
    const stage = cliStage([write("a.txt"), { text: "I could not." }]);
    mkdirSync(join(stage.project, ".cinch"));
    writeFileSync(join(stage.project, ".cinch", "settings.json"), '{"model": "x/y"}');
    writeFileSync(join(stage.project, "AGENTS.md"), "Be brief.");
    const { exit, stdout, stderr } = await stage.run(["-p", "x"]);
    expect([exit, stdout]).toEqual([7, "I could not.\n"]);
    const [first, ...others] = stderr.trimEnd().split("\n");
    expect(first).toMatch(/--permission-mode acceptEdits .*--permission-mode auto/);
    expect(others.join("\n")).toMatch(/settings\.json:1: model cannot be set by a project/);
    expect(others.join("\n")).toMatch(/not trusted: AGENTS\.md\. --trust/);
  });

  test("0: a denial that an effect after it made up for, and a plain answer", async () => {
    const made = [run("touch b"), write("a.txt"), { text: "done" }];
    const stage = cliStage(made);
    expect((await stage.run(["-p", "x", "--permission-mode", "acceptEdits"])).exit).toBe(0);
    expect((await cliStage([{ text: "42" }]).run(["-p", "x"])).exit).toBe(0);
  });

  test("8: still cut after two continuations", async () => {
    const cut = { text: "and so on ", stop: "length" };
    const { exit, stdout } = await cliStage([cut, cut, cut, cut]).run(["-p", "x", ...json]);
    expect([exit, jsonLines(stdout)[0]?.subtype]).toEqual([8, "error_truncated"]);
  });

  test("75: the provider stays away", async () => {
    const { exit, stdout } = await cliStage([{ fail: "rate", retry_after: 0.01, repeat: 50 }]).run([
      "-p",
      "x",
      ...json,
    ]);
    expect([exit, jsonLines(stdout)[0]?.subtype]).toEqual([75, "error_provider"]);
  });
});

describe("bad usage is exit 2, says what is valid, and does nothing", () => {
  test.each([
    [["--modle", "x", "-p", "y"], /--modle is not a flag\. Did you mean --model\?\nFlags: --model/],
    [["-p", "x", "--output-format", "yaml"], /not one of .*json/],
    [["-p", "x", "--permission-mode", "bypassPermissions"], /auto/],
    [["-p", "x", "--tools", "everything"], /full/],
    [["-p", "x", "--max-turns", "many"], /whole number/],
    [["-p", "x", "-c", "-r", "abc"], /two different sessions/],
    [["-p", "x", "--cwd", "nowhere"], /nowhere does not exist/],
    [["-p", "x", "--cwd", "file"], /file is not a directory/],
    [["-p", "x", "--add-dir", "nowhere"], /does not exist/],
    [["-p", "x", "--settings", "nowhere.json"], /nowhere\.json: the settings were not loaded: there is no such file/],
    [["-p", "x", "--json-schema", "nowhere.json"], /does not exist/],
    [["-p", "x", "--json-schema", "file"], /is not a JSON object/],
    [["-p", "fix", "the", "bug"], /must be one argument.*\nPut it in quotes/],
    [["-p", "--output-format", "json", "do it"], /argument after -p is the prompt/],
    [["-p", "x", "--input-format", "stream-json"], /--output-format stream-json or --output-format events/],
    [["-p", "x", "-m", "antropic/x"], /"antropic" is not a provider/],
    [["fix the bug"], /this is no terminal.*\nUse -p/],
    [[], /There is no prompt/],
    [["sessions", "burn"], /cinch sessions does not know "burn"/],
    [["config"], /--explain/],
    [["models", "all"], /"all" is one word too many/],
    [["models", "--trust"], /--trust is not a flag/],
  ])("%j", async (args, said) => {
    const stage = cliStage();
    writeFileSync(join(stage.project, "file"), "text");
    const { exit, stdout, stderr } = await stage.bare(args);
    expect([exit, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(said);
    expect(() => statSync(join(stage.home, "sessions"))).toThrow("ENOENT");
  });

  test("every command that CONTRACT names and this version lacks", async () => {
    const stage = cliStage();
    for (const name of ["replay", "acp", "worker"]) {
      const { exit, stderr } = await stage.bare([name]);
      expect([exit, stderr]).toEqual([2, expect.stringContaining(`\`cinch ${name}\` is not in this version.`)]);
    }
  });

  test("a settings file with mistakes: every one with its line", async () => {
    const stage = cliStage();
    const file = join(stage.home, "settings.json");
    writeFileSync(file, '{\n  // mine\n  "limit": 1,\n  "retention": {},\n  "tools": {"profile": "ful"}\n}');
    const { exit, stdout, stderr } = await stage.run(["-p", "x"]);
    expect([exit, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/settings\.json:3: "limit" is not a setting\. Did you mean limits\?/);
    expect(stderr).toMatch(/settings\.json:4: retention is not in this version/);
    expect(stderr).toMatch(/settings\.json:5: tools\.profile: "ful" is not one of full/);
  });
});

describe("a project's settings", () => {
  test("never end a run and never loosen it", async () => {
    const stage = cliStage([write("a.txt"), { text: "no" }]);
    mkdirSync(join(stage.project, ".cinch"));
    writeFileSync(join(stage.project, ".cinch", "settings.json"), '{"permissions": {"mode": "auto"}, "nonsense": ]');
    const { exit, stderr } = await stage.run(["-p", "x"]);
    expect(exit).toBe(7);
    expect(stderr).toMatch(/\.cinch\/settings\.json:1: not valid JSON/);
    expect(() => readFileSync(join(stage.project, "a.txt"))).toThrow("ENOENT");
  });

  test("may narrow the tools", async () => {
    const stage = cliStage([write("a.txt"), { text: "no" }]);
    mkdirSync(join(stage.project, ".cinch"));
    writeFileSync(join(stage.project, ".cinch", "settings.json"), '{"tools": {"profile": "readonly"}}');
    await stage.run(["-p", "x", "--permission-mode", "auto"]);
    expect(() => readFileSync(join(stage.project, "a.txt"))).toThrow("ENOENT");
  });
});

test("a home that cannot be written is one sentence and exit 1 or 2, and nothing runs", async () => {
  const stage = cliStage();
  writeFileSync(join(stage.project, "file"), "");
  const { exit, stdout, stderr } = await stage.run(["-p", "x"], {
    env: { CINCH_HOME: join(stage.project, "file", "home") },
  });
  expect([1, 2]).toContain(exit);
  expect(stdout).toBe("");
  expect(stderr).not.toMatch(/wrong in Cinch itself|\n {4}at /);
});

test("a run that could not begin has a result all the same, unless it is exit 2", async () => {
  const stage = cliStage();
  writeFileSync(join(stage.project, "file"), "");
  const env = { CINCH_HOME: join(stage.project, "file") };
  writeFileSync(join(stage.project, "s.json"), '[{"text": "x"}]');
  const { exit, stdout } = await stage.bare(["-p", "x", "-m", "scripted/s.json", ...json], { env });
  const [result] = jsonLines(stdout);
  expect(result).toMatchObject({ type: "result", subtype: exit === 1 ? "error_during_execution" : "-", exit_code: 1 });
});

test.skipIf(!existsSync("/dev/full"))("1: an answer that could not be written is not a success", () => {
  const stage = cliStage();
  writeFileSync(join(stage.project, "s.json"), '[{"text": "the answer"}]');
  const full = openSync("/dev/full", "w");
  const args = [bin, "-p", "x", "-m", "scripted/s.json"];
  const env = cleanEnv({ CINCH_HOME: stage.home });
  const ended = spawnSync(process.execPath, args, { cwd: stage.project, env, stdio: ["ignore", full, "pipe"] });
  closeSync(full);
  expect([ended.status, String(ended.stderr)]).toEqual([
    1,
    expect.stringMatching(/could not be written: ENOSPC.* session /),
  ]);
});

test("2: more than can be a prompt is refused, not cut", async () => {
  const { exit, stdout, stderr } = await cliStage().run(["-p", "x"], { input: "a".repeat(20_000_001) });
  expect([exit, stdout, stderr]).toEqual([2, "", expect.stringContaining("20 million characters")]);
});

test("1: a run that waits for what never comes says so", async () => {
  const deaf = "data:text/javascript,globalThis.setTimeout=()=>({unref(){},ref(){},refresh(){}})";
  const args = ["-p", "x"];
  const { exit, stderr } = await cliStage([{ text: "x", delay_ms: 5 }]).run(args, {
    env: { NODE_OPTIONS: `--import ${deaf}` },
  });
  expect([exit, stderr]).toEqual([1, expect.stringContaining("nothing is left that this run waits for")]);
});

test("files of -m are found from where the command was typed, else in --cwd", async () => {
  const stage = cliStage();
  mkdirSync(join(stage.project, "typed"));
  mkdirSync(join(stage.project, "there"));
  writeFileSync(join(stage.project, "typed", "a.json"), '[{"text": "typed"}]');
  writeFileSync(join(stage.project, "there", "a.json"), '[{"text": "there"}]');
  writeFileSync(join(stage.project, "there", "b.json"), '[{"text": "only there"}]');
  const run = async (file: string) =>
    (await stage.bare(["-p", "x", "--cwd", "../there", "-m", file], { cwd: join(stage.project, "typed") })).stdout;
  expect(await run("scripted/a.json")).toBe("typed\n");
  expect(await run("scripted/b.json")).toBe("only there\n");
});
