// `cinch` in a terminal without a key: what it asks, what it keeps, and that a pasted key is nowhere but in the store. The
// program is the built one on a real terminal, the model a real server.

import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import buildDist from "../support/build.js";
import { needs } from "../support/needs.js";
import { cinch, tempDir } from "../support/run.js";
import { TestTerminal } from "../support/terminal.js";
import { startAnthropic, type WireReply } from "../support/wire/anthropic.js";

const python = needs("python3");
const canary = "sk-ant-canary0a1b2c3d4e5f6a7b8c9d";

beforeAll(buildDist);

async function place(script: WireReply[]) {
  const base = tempDir();
  const [cwd, home] = [join(base, "project"), join(base, "home")];
  mkdirSync(join(cwd, ".git"), { recursive: true });
  mkdirSync(home);
  const server = await startAnthropic(script);
  onTestFinished(() => server.close());
  return { cwd, home, server, env: { ANTHROPIC_BASE_URL: server.url } };
}

/** Files below in which the key stands, or a good part of it. */
function holders(directory: string): string[] {
  const forms = [Buffer.from(canary).toString("base64").slice(4, -4), canary.slice(7, 24)];
  return readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) => {
    const path = join(directory, name);
    return lstatSync(path).isFile() && forms.some((form) => readFileSync(path, "latin1").includes(form));
  });
}

python("a pasted key is kept for its user alone and used, and is nowhere else", async () => {
  const { cwd, home, server, env } = await place([
    { calls: [{ name: "run_command", input: { command: "bash leak.sh" } }] },
    { text: `Your key is ${canary}.` },
  ]);
  writeFileSync(join(cwd, "leak.sh"), "env; tr '\\0' '\\n' </proc/$PPID/environ\n");
  // A sandbox would hide what is tested here.
  writeFileSync(join(home, "settings.json"), '{"sandbox": {"mode": "off"}}');
  const term = new TestTerminal(["--permission-mode", "auto"], { cwd, home, env });
  await term.until("1, 2 or 3?");
  expect(server.requests).toEqual([]);
  term.type("1\r");
  await term.until("The key");
  term.type(`\x1b[200~${canary}\x1b[201~\r`);
  await term.until("What is to be done?");
  expect(term.all().join("\n")).toContain("Kept as ANTHROPIC_API_KEY in");
  expect(term.all().join("\n")).toContain("/init writes one from what is found here");
  term.type("what is my key?\r");
  await term.until(/Your key is \[redacted:ANTHROPIC_API_KEY\]\.[\s\S]*What is to be done\?/);
  term.type("\x04");
  expect(await term.done).toBe(0);
  expect(server.requests[0]?.headers["x-api-key"]).toBe(canary);
  expect(server.requests.map(({ body }) => body).join("\n")).not.toContain(canary);
  expect(statSync(join(home, "keys.json")).mode & 0o777).toBe(0o600);
  expect(holders(home)).toEqual(["keys.json"]);
  expect(holders(cwd)).toEqual([]);
  expect(term.bytes).not.toContain(canary.slice(7));
});

python("a key that is typed is not shown either; one that looks like none is not kept; leaving is exit 3", async () => {
  const { cwd, home, env } = await place([]);
  const term = new TestTerminal([], { cwd, home, env });
  await term.until("1, 2 or 3?");
  term.type("1\r");
  await term.until("The key");
  term.type("secret words\r");
  await term.until("Nothing was kept.");
  term.type("1\rwords-of-no-known-shape\r");
  await term.until("Whose key is it?");
  term.type("9\r3\r");
  expect(await term.done).toBe(3);
  expect(existsSync(join(home, "keys.json"))).toBe(false);
  expect(term.bytes).not.toMatch(/secret words|no-known/);
});

python("the key of the model that was named is asked for; a dumb terminal gets no sequence", async () => {
  const { cwd, home, env } = await place([{ text: "hello" }]);
  const term = new TestTerminal(["-m", "anthropic/claude-x"], { cwd, home, env: { ...env, TERM: "dumb" } });
  await term.until(/no key for this model[\s\S]*1, 2 or 3\?/);
  term.type("1\r");
  await term.until("The key");
  term.type("any-word-that-is-long-enough\r");
  await term.until("Kept as ANTHROPIC_API_KEY");
  await term.until("/quit leaves");
  term.type("/quit\r");
  expect(await term.done).toBe(0);
  expect(term.bytes).not.toContain("\x1b");
});

python("a session that goes on asks for the key of its model, too", async () => {
  const { cwd, home, server, env } = await place([{ text: "hello" }, { text: "hello again" }]);
  const begun = await cinch(["-p", "hi"], { cwd, env: { ...env, ANTHROPIC_API_KEY: canary } });
  expect(begun.exit).toBe(0);
  const term = new TestTerminal(["-c"], { cwd, home, env });
  await term.until(/key for this model[\s\S]*1, 2 or 3\?/);
  term.type(`1\r${canary}\r`);
  await term.until(/hello[\s\S]*What is to be done\?/);
  term.type("go on\r");
  await term.until("hello again");
  expect(server.requests.at(-1)?.headers["x-api-key"]).toBe(canary);
  term.type("\x04");
  expect(await term.done).toBe(0);
});

test("headless: a kept key is used and its place is said; without one the fix names the store", async () => {
  const { cwd, home, server, env } = await place([{ text: "hello" }, { text: "again" }]);
  const bare = await cinch(["-p", "hi"], { cwd, env });
  expect(bare.exit).toBe(3);
  expect(bare.stderr).toContain("keys.json");
  writeFileSync(join(home, "keys.json"), JSON.stringify({ ANTHROPIC_API_KEY: canary }), { mode: 0o600 });
  const kept = await cinch(["-p", "hi"], { cwd, env });
  expect([kept.exit, kept.stdout]).toEqual([0, "hello\n"]);
  expect(kept.stderr).not.toContain(canary);
  const listed = await cinch(["models"], { cwd, env });
  expect(listed.stdout).toContain("ANTHROPIC_API_KEY in keys.json");
  const set = await cinch(["-p", "hi"], { cwd, env: { ...env, ANTHROPIC_API_KEY: "of-the-environment" } });
  expect(set.exit).toBe(0);
  expect(server.requests.map(({ headers }) => headers["x-api-key"])).toEqual([canary, "of-the-environment"]);
});

test("a store that others may read does not count, and that is said", async () => {
  const { cwd, home, env } = await place([]);
  writeFileSync(join(home, "keys.json"), JSON.stringify({ ANTHROPIC_API_KEY: canary }), { mode: 0o644 });
  const run = await cinch(["-p", "hi", "-m", "anthropic/claude-x"], { cwd, env });
  expect(run.exit).toBe(3);
  expect(run.stderr).toMatch(/keys\.json is ignored: others may read it \(chmod 600 mends that\)/);
});
