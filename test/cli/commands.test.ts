// The subcommands of this version, as scripts use them.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { cliStage } from "../support/cli.js";
import { logFile } from "../support/session-log.js";

interface Models {
  selected: { id: string; why: string } | null;
  providers: { name: string; keys: { name: string; set: boolean }[] }[];
  models: { id: string; window: number; max_output: number; prices: object | null }[];
}

describe("cinch models", () => {
  const models = async (env: Record<string, string>, args: string[] = [], settings?: string) => {
    const stage = cliStage();
    if (settings) writeFileSync(join(stage.home, "settings.json"), settings);
    const { exit, stdout } = await stage.bare(["models", "--json", ...args], { env });
    expect(exit).toBe(0);
    return { facts: JSON.parse(stdout) as Models, stdout };
  };

  test("says which model a run would use and why, and never prints a key", async () => {
    const { facts, stdout } = await models({ OPENAI_API_KEY: "sk-very-secret" });
    expect(facts.selected).toMatchObject({ id: expect.stringMatching(/^openai\//), why: "OPENAI_API_KEY is set" });
    expect(stdout).not.toContain("sk-very-secret");
    const openai = facts.providers.find(({ name }) => name === "openai");
    expect(openai?.keys).toEqual([{ name: "OPENAI_API_KEY", set: true, kept: false }]);
    expect(facts.models.find(({ prices }) => prices)?.window).toBeGreaterThan(1000);
  });

  test("a setting wins over a key, -m over both", async () => {
    const env = { OPENAI_API_KEY: "k" };
    const setting = await models(env, [], '{"model": "anthropic/x"}');
    expect(setting.facts.selected).toEqual({ id: "anthropic/x", why: expect.stringMatching(/settings\.json:1$/) });
    const flag = await models(env, ["-m", "google/y"], '{"model": "anthropic/x"}');
    expect(flag.facts.selected).toEqual({ id: "google/y", why: "-m" });
  });

  test("text for a person", async () => {
    const { exit, stdout } = await cliStage().bare(["models"]);
    expect(exit).toBe(0);
    expect(stdout).toMatch(/Providers\n[\s\S]*ANTHROPIC_API_KEY[\s\S]*Known models/);
  });
});

describe("cinch config --explain", () => {
  test("every key, where its value comes from, and what is wrong", async () => {
    const stage = cliStage();
    const file = join(stage.home, "settings.json");
    writeFileSync(file, '{\n"limits": {"turns": 5},\n"wrong": 1}');
    mkdirSync(join(stage.project, ".cinch"));
    writeFileSync(join(stage.project, ".cinch", "settings.json"), '{"model": "evil/x"}');
    const { exit, stdout, stderr } = await stage.bare(["config", "--explain", "--json"]);
    expect(exit).toBe(2);
    const { settings, problems, files } = JSON.parse(stdout) as {
      settings: { key: string; value: unknown; source: string; available: boolean }[];
      problems: { level: string; source: string; text: string }[];
      files: Record<string, string>;
    };
    expect(files["user"]).toBe(file);
    expect(settings.find(({ key }) => key === "limits.turns")).toMatchObject({ value: 5, source: `${file}:2` });
    expect(settings.find(({ key }) => key === "model")).toMatchObject({ value: null, source: "default" });
    expect(settings.find(({ key }) => key === "retention")?.available).toBe(false);
    expect(problems.map(({ level }) => level)).toEqual(["user", "project"]);
    expect(stderr).toContain(`${file}:3: "wrong" is not a setting.`);
  });

  test("without mistakes it is exit 0, in text as well", async () => {
    const { exit, stdout, stderr } = await cliStage().bare(["config", "--explain"]);
    expect([exit, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/permissions\.mode = "ask"\n.*\[ask \| acceptEdits \| auto \| plan\]/);
  });
});

test("windows in the table are rounded", async () => {
  const { stdout } = await cliStage().bare(["models"]);
  expect(stdout).toMatch(/ 1\.05M /);
  expect(stdout).not.toMatch(/\.\d{3,}M/);
});

test("cinch bench --help says how it is used and measures nothing", async () => {
  const { exit, stdout } = await cliStage().bare(["bench", "--help"]);
  expect([exit, stdout]).toEqual([0, expect.stringMatching(/^Use `cinch bench .*--only/)]);
});

describe("cinch sessions verify", () => {
  test("exit 0 when all is well, 1 with the place of the damage when not; nothing is changed", async () => {
    const stage = cliStage([{ text: "one" }]);
    expect((await stage.bare(["sessions", "verify"])).stdout).toBe("There are no sessions.\n");
    await stage.run(["-p", "hello"]);
    const well = await stage.bare(["sessions", "verify"]);
    expect([well.exit, well.stdout]).toEqual([
      0,
      expect.stringMatching(/well: \d+ entries, \d+ in the conversation\n1 checked, all well\.\n$/),
    ]);
    const file = logFile(stage.home);
    const spoilt = readFileSync(file, "utf8").replace('"text":"hello"', '"text":"hallo"');
    writeFileSync(file, spoilt);
    const bad = await stage.bare(["sessions", "verify", basename(file).slice(0, 8), "--json"]);
    expect(bad.exit).toBe(1);
    const { sessions } = JSON.parse(bad.stdout) as {
      sessions: { problems: { kind: string; line: number | null }[] }[];
    };
    const line = spoilt.slice(0, spoilt.indexOf("hallo")).split("\n").length;
    expect(sessions[0]?.problems).toMatchObject([{ kind: "line", line }, { kind: "cut" }]);
    const text = await stage.bare(["sessions", "verify"]);
    expect(text.stdout).toMatch(new RegExp(`DAMAGED[^]*line ${line} \\(byte \\d+\\)[^]*1 checked, 1 with damage`));
    expect(readFileSync(file, "utf8")).toBe(spoilt);
  });

  test("a verb or a session that is not there is exit 2", async () => {
    const stage = cliStage();
    expect(await stage.bare(["sessions", "polish"])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("verify"),
    });
    expect((await stage.bare(["sessions", "verify", "nope"])).exit).toBe(2);
  });
});

describe("cinch doctor", () => {
  interface Report {
    well: boolean;
    findings: { about: string; state: string; text: string; fix: string }[];
  }

  test("exit 0 and all well on a fresh machine and after a run", async () => {
    const stage = cliStage([{ text: "one" }]);
    const fresh = await stage.bare(["doctor"]);
    expect([fresh.exit, fresh.stdout]).toEqual([0, expect.stringMatching(/All well\.\n$/)]);
    await stage.run(["-p", "hello"]);
    const { exit, stdout } = await stage.bare(["doctor", "--json"]);
    expect(exit).toBe(0);
    const { well, findings } = JSON.parse(stdout) as Report;
    expect(well).toBe(true);
    const about = new Set(findings.map((one) => one.about));
    expect(about).toEqual(
      new Set("settings trust languages state sessions objects leftovers tasks models programs sandbox".split(" ")),
    );
    expect(findings.find((one) => one.about === "sessions")?.text).toBe("1 of 1 sessions are well, 0 in use");
  });

  test("names everything that is wrong, with a way to mend it, and changes nothing", async () => {
    const calls = [{ tool: "write_file", input: { path: "a.txt", content: "one" } }];
    const stage = cliStage([{ calls }, { text: "done" }]);
    await stage.run(["-p", "hello", "--permission-mode", "auto"]);
    const file = logFile(stage.home);
    writeFileSync(file, readFileSync(file, "utf8").replace('"text":"hello"', '"text":"hallo"'));
    writeFileSync(file.replace(".jsonl", ".torn-1"), "x");
    writeFileSync(file.replace(".jsonl", ".lock"), "?");
    writeFileSync(join(stage.home, "settings.json"), '{"wrong": 1}');
    writeFileSync(join(stage.home, "trust.json"), "{");
    const store = join(stage.home, "checkpoints", "objects");
    mkdirSync(join(store, "ab"), { recursive: true });
    writeFileSync(join(store, "ab", "c".repeat(62)), "damaged");
    writeFileSync(join(store, "ab", "unfinished"), "");
    const { exit, stdout } = await stage.bare(["doctor", "--json"], { env: { PATH: "/nowhere" } });
    expect(exit).toBe(1);
    const { well, findings } = JSON.parse(stdout) as Report;
    expect(well).toBe(false);
    const wrong = findings.filter(({ state }) => state === "wrong");
    expect(wrong.map(({ about }) => about)).toEqual([
      "settings",
      "trust",
      "sessions",
      "sessions",
      "objects",
      "leftovers",
      "programs",
    ]);
    expect(wrong.every(({ fix }) => fix !== "")).toBe(true);
    const notes = findings.filter(({ state }) => state === "note").map(({ text }) => text);
    expect(notes.join()).toContain("torn-1");
    expect(readFileSync(file, "utf8")).toContain("hallo");
    expect((await stage.bare(["doctor"], { env: { PATH: "/nowhere" } })).stdout).toMatch(
      /WRONG {2}sessions[\s\S]*7 things are wrong/,
    );
  });
});
