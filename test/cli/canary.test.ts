// Seeded secrets, and every byte the program leaves or says (SECURITY 127, 128, 168, 169; properties 7 and 8 are in
// src/secrets/redact.test.ts). The program is the built one, its model a real server, its children are real.

import { execFile } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import buildDist from "../support/build.js";
import { type CliStage, cliStage } from "../support/cli.js";
import { needs } from "../support/needs.js";
import { asOrdinaryUser, giveAway, openDir } from "../support/ordinary-user.js";
import { bin, cleanEnv, type Outcome, tempDir } from "../support/run.js";
import { taskLog, taskRecords } from "../support/tasks.js";
import { startAnthropic, type WireReply, type WireServer } from "../support/wire/anthropic.js";

const key = "canary-Key/1+2 ~é";
const helper = "canaryHelper0a1b2c3d";
const other = "canary&other=%7Z9";
const secrets = { key, helper, other };

beforeAll(buildDist);

/** What a secret looks like to somebody who looks for it. */
function formsOf(secret: string): string[] {
  const inner = [0, 1, 2].map((before) =>
    Buffer.from("x".repeat(before) + secret)
      .toString("base64")
      .slice(4, -4),
  );
  return [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), ...inner];
}

function leaks(where: string, text: string): string[] {
  const flat = text.replace(/\r?\n|\\n/g, "");
  return Object.entries(secrets).flatMap(([name, secret]) =>
    formsOf(secret).flatMap((form) =>
      text.includes(form) || flat.includes(form) ? [`${name} as ${form} in ${where}`] : [],
    ),
  );
}

/** Of every file below, its name and bytes. */
function leaksBelow(directory: string, except: readonly string[] = []): string[] {
  return (
    readdirSync(directory, { recursive: true, encoding: "utf8" })
      // What undo puts back has to be the bytes that were there (docs/security.md).
      .filter((name) => !name.includes("checkpoints/objects/"))
      .filter((name) => !except.includes(name) && lstatSync(join(directory, name)).isFile())
      .flatMap((name) => leaks(name, `${name}\n${readFileSync(join(directory, name), "utf8")}`))
  );
}

interface Seeded {
  stage: CliStage;
  server: WireServer;
  env: Record<string, string>;
  temp: string;
}

const planted = ["leak.txt", "leak.sh", ".env"];

async function seeded(script: WireReply[], settings: object = {}, base = tempDir()): Promise<Seeded> {
  const stage = cliStage(undefined, { base });
  const server = await startAnthropic(script);
  onTestFinished(() => server.close());
  const temp = join(stage.project, "..", "tmp");
  mkdirSync(temp);
  const wrapped = Buffer.from(`before ${other} and behind`).toString("base64").replace(/.{20}/g, "$&\n");
  const all = Object.values(secrets);
  const lines = [
    ...all,
    ...all.map(encodeURIComponent),
    ...all.map((one) => Buffer.from(`a${one}`).toString("base64")),
  ];
  writeFileSync(join(stage.project, "leak.txt"), `${lines.join("\n")}\n${wrapped}\n`);
  writeFileSync(join(stage.project, ".env"), `KEY=${key}\nunlisted=only-the-file-says-this\n`);
  // Up to the first process: none may show what this one was started with.
  writeFileSync(
    join(stage.project, "leak.sh"),
    'env; p=$PPID; while [ "$p" -gt 1 ]; do tr "\\0" "\\n" </proc/$p/environ; p=$(cut -d" " -f4 /proc/$p/stat); done\necho looked up to $p\n',
  );
  mkdirSync(stage.home, { recursive: true });
  // A sandbox would hide /proc, and with it what is tested here.
  writeFileSync(join(stage.home, "settings.json"), JSON.stringify({ sandbox: { mode: "off" }, ...settings }));
  const env = {
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BASE_URL: server.url,
    MY_TOKEN: other,
    CINCH_HOME: stage.home,
    TMPDIR: temp,
  };
  return { stage, server, env, temp };
}

const command = (text: string) => ({ name: "run_command", input: { command: text } });

/** Secrets on every way that text can take. */
const script: WireReply[] = [
  {
    thinking: { text: `the key is ${key}`, signature: "s" },
    text: `I saw ${key}`,
    chunk: 3,
    calls: [command("bash leak.sh; cat leak.txt")],
  },
  {
    calls: [
      { name: "read_file", input: { path: "leak.txt" } },
      { name: "search_text", input: { pattern: "canary" } },
    ],
  },
  { calls: [{ name: "read_file", input: { path: ".env" } }] },
  { calls: [command("bash -c 'leaked=$(<leak.txt); for i in {1..3000}; do echo \"$leaked\"; done'")] },
  {
    calls: [
      command(
        `bash -c 'echo "$@"' x '${key}' 'http://x.test/?q=${encodeURIComponent(other)}' 'authorization: ${other}'`,
      ),
    ],
  },
  {
    calls: [
      { name: `no_${helper}`, input: { [other]: other } },
      { name: "write_file", input: { path: "made.txt", content: "made\n" } },
    ],
  },
  { text: `All of it: ${key} ${other} ${helper}`, chunk: 2 },
];

function leftBy(at: Seeded, run: Outcome): string[] {
  return [
    ...leaks("stdout", run.stdout),
    ...leaks("stderr", run.stderr),
    ...leaksBelow(at.stage.home, ["settings.json"]),
    ...leaksBelow(at.temp),
    ...leaksBelow(at.stage.project, planted),
    ...at.server.requests.flatMap(({ body }, n) => leaks(`request ${n + 1}`, body)),
  ];
}

describe("nothing that is known to be secret is kept or said", () => {
  test.each(["text", "json", "stream-json", "events"])("--output-format %s, verbose, recorded", async (format) => {
    const at = await seeded(script);
    const flags = ["--permission-mode", "auto", "--verbose", "--record", "tape.jsonl", "--output-format", format];
    const run = await at.stage.bare(["-p", `use ${key}`, ...flags], { env: { ...at.env, VAULT_SECRET: helper } });
    expect([run.exit, at.server.requests.length]).toEqual([0, script.length]);
    expect(leftBy(at, run)).toEqual([]);
    const bodies = at.server.requests.map(({ body }) => body).join("\n");
    expect(bodies).toContain("[redacted:ANTHROPIC_API_KEY]");
    expect(bodies).toContain("looked up to");
    expect(bodies).toContain("[redacted:MY_TOKEN]");
    // Secret files are withheld whole, by name (permission/secret-files.ts).
    expect(bodies + run.stdout).not.toContain("only-the-file-says-this");
    // What was redacted is what is sent again.
    const resumed = await at.stage.bare(["-c", "-p", "go on"], { env: { ...at.env, VAULT_SECRET: helper } });
    expect(leftBy(at, resumed)).toEqual([]);
  });

  test("tasks: no byte of their records and logs, nor of what is told of them", async () => {
    const printed = { kind: "shell", command: `cat leak.txt; echo ${key}; sleep 318`, title: `prints ${other}` };
    const work = {
      agent_name: "explore",
      prompt: `find ${key}`,
      labels: [other],
      metadata: { [other]: key },
      output_schema: { type: "object", description: key },
    };
    const answer = JSON.stringify({ found: `${key} ${other}` });
    const at = await seeded([
      { calls: [{ name: "start_background_task", input: printed }] },
      { calls: [{ name: "submit_agent_tasks", input: { tasks: [work] } }] },
      { text: answer },
      { calls: [{ name: "list_background_tasks", input: {} }] },
      { text: "done" },
    ]);
    const flags = ["--permission-mode", "auto", "--output-format", "events"];
    const env = { ...at.env, VAULT_SECRET: helper };
    const run = await at.stage.bare(["-p", "go", ...flags], { env });
    expect([run.exit, at.server.requests.length]).toEqual([0, 5]);
    const records = taskRecords(at.stage.home);
    expect(records.map(({ kind, state }) => [kind, state])).toEqual([
      ["agent", "succeeded"],
      ["shell", "cancelled"],
    ]);
    expect(taskLog(at.stage.home, records[1]?.id ?? "")).toContain("*".repeat(key.length));
    expect(leftBy(at, run)).toEqual([]);
    for (const words of [["list"], ["show", records[0]?.id ?? ""], ["output", records[1]?.id ?? ""]]) {
      expect(leftBy(at, await at.stage.bare(["tasks", ...words], { env }))).toEqual([]);
    }
  });

  test("a key that a helper printed is one as well, and the helper's environment is its own", async () => {
    const at = await seeded(script, { models: { anthropic: { apiKeyHelper: `echo ${helper}` } } });
    const flags = ["--permission-mode", "auto", "--output-format", "stream-json"];
    const run = await at.stage.bare(["-p", "go", "-m", "anthropic/claude-sonnet-4-5", ...flags], { env: at.env });
    expect(run.exit).toBe(0);
    expect(at.server.requests[0]?.headers["x-api-key"]).toBe(helper);
    expect(leftBy(at, run)).toEqual([]);
    expect(run.stdout).toContain("[redacted:apiKeyHelper]");
  });

  test("a provider that repeats the key in its error is not quoted with it", async () => {
    const at = await seeded([{ status: 401, error: { type: "authentication_error", message: `bad key ${key}` } }]);
    const run = await at.stage.bare(["-p", "x", "--output-format", "json"], { env: at.env });
    expect(run.exit).toBe(3);
    expect(leftBy(at, run)).toEqual([]);
    expect(run.stdout).toContain("bad key [key]");
  });

  test("a crash report holds no secret (SECURITY 169)", async () => {
    const at = await seeded([]);
    const crash = `const t = setInterval(() => {
      if (process.listenerCount("uncaughtException") === 0) return;
      clearInterval(t);
      throw new Error("it broke with " + ${JSON.stringify(key)});
    }, 0)`;
    const preload = `data:text/javascript,${encodeURIComponent(crash)}`;
    const options = { env: cleanEnv(at.env), cwd: at.stage.project };
    const { stdout, stderr, code } = await promisify(execFile)(
      process.execPath,
      ["--import", preload, bin, "-p", "x", "--verbose"],
      options,
    ).then(
      (out) => ({ ...out, code: 0 }),
      (error: { stdout: string; stderr: string; code: number }) => error,
    );
    expect(code).toBe(1);
    expect(stderr).toContain("Something is wrong in Cinch itself: it broke with [redacted:ANTHROPIC_API_KEY]");
    expect(readFileSync(join(at.stage.home, "bugs.log"), "utf8")).toContain("[redacted:ANTHROPIC_API_KEY]");
    expect(leftBy(at, { exit: code, stdout, stderr })).toEqual([]);
  });
});

const asNobody = process.getuid?.() === 0 ? needs("setpriv") : undefined;
asNobody?.("no child reads a key from /proc as an ordinary user either (SECURITY 168)", async () => {
  const base = openDir();
  const at = await seeded([{ calls: [command("bash leak.sh")] }, { text: "done" }], {}, base);
  giveAway(base);
  const options = {
    env: { ...at.env, HOME: base, PATH: "/usr/bin:/bin:/root/unreadable" },
    cwd: at.stage.project,
  };
  const [program, ...args] = asOrdinaryUser();
  const run = await promisify(execFile)(program, [...args, "-p", "x", "--permission-mode", "auto"], options);
  expect(run.stdout).toBe("done\n");
  const shown = at.server.requests[1]?.body ?? "";
  expect(shown).toContain("looked up to");
  // Overwritten in the block itself, not only masked on the way.
  expect(shown).toMatch(/ANTHROPIC_API_KEY=\*+\\n/);
  expect(shown).not.toContain("redacted:");
});
