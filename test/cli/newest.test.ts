// What -c goes on with: the session here that the user last worked in, whatever else has written to another one since.

import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, submit } from "../support/agents.js";
import { type CliStage, cliStage } from "../support/cli.js";

const answer = { text: "ok", repeat: 20 };

interface Ran {
  session: string;
  exit: number | null;
}

async function go(at: CliStage, ...flags: string[]): Promise<Ran> {
  const { exit, stdout, stderr } = await at.run(["-p", "go", "--output-format", "json", ...flags]);
  expect([exit, stdout === "" ? stderr : ""]).toEqual([0, ""]);
  return { exit, session: JSON.parse(stdout).session_id };
}

const fileOf = (at: CliStage, id: string) => {
  const [folder = ""] = readdirSync(join(at.home, "sessions"));
  return join(at.home, "sessions", folder, `${id}.jsonl`);
};

/** The newest entry of the conversation of a session. */
const entryIn = (at: CliStage, id: string): string =>
  readFileSync(fileOf(at, id), "utf8")
    .split("\n")
    .filter((line) => line.includes('"type":"message"'))
    .map((line) => JSON.parse(line).id)
    .at(-1);

const json = async (at: CliStage, ...args: string[]) => JSON.parse((await at.bare([...args, "--json"])).stdout);

/** Two sessions, the second one newer. */
async function two() {
  const at = cliStage([answer]);
  const [a, b] = [(await go(at)).session, (await go(at)).session];
  expect(a).not.toBe(b);
  return { at, a, b };
}

test.each(["ask", "acceptEdits", "auto", "plan"])(
  "one that was resumed and worked in, in the mode %s",
  async (mode) => {
    const { at, a } = await two();
    expect((await go(at, "-r", a, "--permission-mode", mode)).session).toBe(a);
    expect((await go(at, "-c")).session).toBe(a);
  },
);

test("one that was branched with --fork at an entry of an older session, alone and with -r", async () => {
  for (const named of [false, true]) {
    const { at, a } = await two();
    const entry = entryIn(at, a);
    expect((await go(at, ...(named ? ["-r", a] : []), "--fork", entry)).session).toBe(a);
    expect((await go(at, "-c")).session).toBe(a);
  }
});

test("the one that cinch fork went to, or made", async () => {
  const { at, a, b } = await two();
  expect(await json(at, "fork", entryIn(at, a))).toMatchObject({ session_id: a });
  expect((await go(at, "-c")).session).toBe(a);
  const made = await json(at, "fork", entryIn(at, b), "other way");
  expect([a, b]).not.toContain(made.session_id);
  expect((await go(at, "-c")).session).toBe(made.session_id);
  await go(at, "-r", b);
  expect((await go(at, "-c")).session).toBe(b);
  expect((await go(at, "-r", "other way")).session).toBe(made.session_id);
  expect((await go(at, "-c")).session).toBe(made.session_id);
});

test("not one that was only looked after: labelled, verified, undone in, touched", async () => {
  const { at, a, b } = await two();
  await json(at, "tree", "label", entryIn(at, a), "good");
  await json(at, "sessions", "verify", a);
  await at.bare(["undo", "--session", a, "--yes"]);
  const later = new Date(Date.now() + 60_000);
  utimesSync(fileOf(at, a), later, later);
  expect((await go(at, "-c")).session).toBe(b);
  const { sessions } = await json(at, "sessions", "list");
  expect(sessions.map(({ id }: { id: string }) => id)).toEqual([b, a]);
});

test("not one of an agent, and one in which nothing was said only where there is no other", async () => {
  const at = cliStage();
  const main = [submit([{ agent_name: "explore", prompt: "Look." }]), answer];
  const script = { main, agents: { explore: [call("list_files", {}), { text: "seen" }] } };
  writeFileSync(join(at.home, "../script.json"), JSON.stringify(script));
  const { session } = await go(at);
  const header = readFileSync(fileOf(at, session), "utf8").split("\n", 1)[0] ?? "";
  const silent = fileOf(at, "zzzzzzzzzzzz");
  writeFileSync(silent, `${header}\n`);
  writeFileSync(join(at.home, "../script.json"), JSON.stringify([answer]));
  expect((await go(at, "-c")).session).toBe(session);
});

test("of the same root, wherever below it the user is", async () => {
  const { at, a } = await two();
  const sub = join(at.project, "sub");
  mkdirSync(sub);
  await go(at, "-r", a, "--cwd", sub);
  expect((await go(at, "-c")).session).toBe(a);
  const fresh = (await go(at, "--cwd", sub)).session;
  expect((await go(at, "-c")).session).toBe(fresh);
  expect((await go(at, "-c", "--cwd", sub)).session).toBe(fresh);
});

test("one that was killed while it worked", async () => {
  const { at, a } = await two();
  writeFileSync(join(at.home, "../script.json"), JSON.stringify([{ text: "slow", delay_ms: 600_000 }]));
  const live = at.start(["-p", "go", "-r", a, "--output-format", "stream-json"]);
  await live.line(({ type, subtype }) => type === "system" && subtype === "init");
  await expect.poll(() => readFileSync(fileOf(at, a), "utf8").match(/"type":"message"/g)?.length).toBe(3);
  live.child.kill("SIGKILL");
  await live.done;
  writeFileSync(join(at.home, "../script.json"), JSON.stringify([answer]));
  expect((await go(at, "-c")).session).toBe(a);
});
