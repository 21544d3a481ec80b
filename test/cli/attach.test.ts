// `cinch attach`: two real processes, one that holds a session and one that follows and steers it by files alone.

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test, vi } from "vitest";
import buildDist from "../support/build.js";
import { type CliStage, cliStage, LiveCli } from "../support/cli.js";
import { needs } from "../support/needs.js";
import { TestTerminal } from "../support/terminal.js";

beforeAll(buildDist);

/** A run that goes on until the file `go` is there, and then answers once more for each steering. */
const script = [
  {
    text: "I wait.\nFor go.",
    calls: [{ tool: "run_command", input: { command: "until [ -e go ]; do sleep 0.02; done" } }],
  },
  { text: "Heard it." },
  { text: "And the second." },
  { text: "And more." },
];

async function held(stage: CliStage) {
  const owner = stage.start(["-p", "begin", "--output-format", "events", "--permission-mode", "auto"]);
  const { session } = (await owner.line(({ type }) => type === "call.start")) as unknown as { session: string };
  return { owner, session };
}

const go = ({ project }: CliStage) => writeFileSync(join(project, "go"), "");

/** What of the session's log the model was told by its user. */
function told({ home }: CliStage, session: string): string[] {
  const sessions = join(home, "sessions");
  const file = readdirSync(sessions, { recursive: true, encoding: "utf8" }).find((name) =>
    name.endsWith(`${session}.jsonl`),
  );
  return readFileSync(join(sessions, file ?? ""), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter(({ type, data }) => type === "message" && data.role === "user" && data.origin === "user")
    .map(({ data }) => data.parts[0].text);
}

async function shows(live: LiveCli, what: string | RegExp): Promise<void> {
  await vi.waitFor(() => expect(live.stdout).toMatch(what), { timeout: 50_000, interval: 20 });
}

test("follows a run, steers it once, queues behind it, and ends with it", async () => {
  const stage = cliStage(script);
  const { owner, session } = await held(stage);
  const guest = new LiveCli(["attach", session.slice(0, 8)], stage.project, stage.home);
  await shows(guest, /A run is under way\.[\s\S]*❯ begin/);
  const place = join(stage.home, "attached", session);
  const [name = ""] = readdirSync(place);
  expect([place, join(place, name)].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700]);
  expect(readdirSync(join(place, name)).map((file) => statSync(join(place, name, file)).mode & 0o777)).toEqual([
    0o600, 0o600,
  ]);
  guest.send("look at the sky");
  await shows(guest, "taken: look at the sky");
  guest.send("/queue then at the sea");
  await shows(guest, "taken: then at the sea");
  expect(guest.stdout).not.toContain("the model has it");
  go(stage);
  const { exit, stdout } = await guest.done;
  expect(exit).toBe(0);
  for (const text of ["look at the sky", "then at the sea"]) {
    expect(stdout.split(`the model has it: ${text}`)).toHaveLength(2);
  }
  expect(stdout).toMatch(/^Heard it\.$/m);
  expect(stdout).toMatch(
    /The run has ended\.[\s\S]*(The session was closed|The process that held the session has ended)\.\n$/,
  );
  expect((await owner.done).exit).toBe(0);
  expect(told(stage, session)).toEqual(["begin", "look at the sky", "then at the sea"]);
  expect(existsSync(place)).toBe(false);
});

test("an owner that is killed: said, exit 0; what it never took is named, and what it took is in the log", async () => {
  const stage = cliStage(script);
  const { owner, session } = await held(stage);
  const guest = new LiveCli(["attach"], stage.project, stage.home);
  await shows(guest, "A run is under way");
  guest.send("taken in time");
  await shows(guest, "taken: taken in time");
  owner.child.kill("SIGSTOP");
  guest.send("too late");
  await vi.waitFor(
    () => {
      const place = join(stage.home, "attached", session);
      const files = readdirSync(place, { recursive: true, encoding: "utf8" });
      expect(files.filter((file) => /say-\d+\.json$/.test(file))).toHaveLength(1);
    },
    { timeout: 50_000 },
  );
  owner.child.kill("SIGKILL");
  const { exit, stdout } = await guest.done;
  expect(exit).toBe(0);
  expect(stdout).toContain("The process that held the session has ended.");
  expect(stdout).toContain("Not confirmed, so perhaps not in the session: too late");
  expect(stdout).not.toContain("taken: too late");
  go(stage);
  // The next run of the session hears what was taken, and nothing of what was not.
  const next = await stage.run(["-r", session, "-p", "go on", "--permission-mode", "auto"]);
  expect(next.exit).toBe(0);
  expect(told(stage, session)).toEqual(["begin", "go on", "taken in time"]);
});

test("two at once hear the same; one of them ends the run", async () => {
  const stage = cliStage(script);
  const { owner, session } = await held(stage);
  const guests = [0, 1].map(() => new LiveCli(["attach", session, "--json"], stage.project, stage.home));
  await Promise.all(guests.map((guest) => guest.line(({ type }) => type === "hello")));
  guests[0]?.send("/cancel");
  for (const guest of guests) {
    const { exit, stdout } = await guest.done;
    expect(exit).toBe(0);
    expect(stdout).toContain('"subtype":"error_cancelled"');
  }
  expect((await owner.done).exit).not.toBe(0);
});

const control = ["--input-format", "stream-json", "--output-format", "events"];

/** A run that asks, held by a process that somebody may answer on its standard input. */
async function asking(stage: CliStage) {
  const owner = stage.start(["-p", "begin", ...control]);
  const { session, id } = (await owner.line(({ type }) => type === "approval.ask")) as unknown as Record<
    string,
    string
  >;
  return { owner, session: session ?? "", id: id ?? "" };
}

const touch = { calls: [{ tool: "run_command", input: { command: "touch made && echo a\u202eb" } }] };

/** Its entries of one type. */
function logged({ home }: CliStage, session: string, type: string): Record<string, unknown>[] {
  const sessions = join(home, "sessions");
  const file = readdirSync(sessions, { recursive: true, encoding: "utf8" }).find((name) =>
    name.endsWith(`${session}.jsonl`),
  );
  const entries = readFileSync(join(sessions, file ?? ""), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  return entries.filter((entry) => entry.type === type).map(({ data }) => data);
}

test("a question is shown in full to whoever attaches, and answered by its sign alone; the log has where", async () => {
  const stage = cliStage([touch, { text: "done" }]);
  const { owner, session, id } = await asking(stage);
  const guest = new LiveCli(["attach"], stage.project, stage.home);
  // Typed before it is shown: words for the model, or nothing.
  guest.send("/answer y");
  await shows(guest, "No open question has the sign y.");
  const sign = id.slice(-4);
  await shows(guest, `/answer ${sign} y allows it once`);
  for (const fact of [
    "? run touch made",
    "It holds 1 invisible character",
    "echo a\\u{202e}b",
    "Its parts:",
    "never-auto (opaque)",
  ])
    expect(guest.stdout).toContain(fact);
  expect(guest.stdout).toMatch(new RegExp(`Asked because [\\s\\S]*/answer ${sign} y allows it once`));
  guest.send(`/answer ${sign} y`);
  await shows(guest, `Answered in an attached terminal (process ${guest.child.pid}): allow.`);
  await shows(guest, "done");
  expect(existsSync(join(stage.project, "made"))).toBe(true);
  // The first answer has won.
  owner.send({ type: "approval", id, decision: "deny" });
  await owner.line(({ type, ok }) => type === "input.ack" && ok === false);
  owner.end();
  expect((await owner.done).exit).toBe(0);
  const via = `an attached terminal (process ${guest.child.pid})`;
  expect(logged(stage, session, "approval")).toMatchObject([{ decision: "allow", by: "user", via }]);
  await guest.done;
});

test("two terminals, one question: the first answer counts, the other one is told; what answers nothing leaves it open", async () => {
  const stage = cliStage([touch, { text: "done" }]);
  const { owner, session, id } = await asking(stage);
  const guests = [0, 1].map(() => new LiveCli(["attach", session, "--json"], stage.project, stage.home));
  await Promise.all(guests.map((guest) => guest.line(({ type }) => type === "question")));
  const [first, second] = guests as [LiveCli, LiveCli];
  // A forged answer: not whole, to no such question, with no decision.
  const place = join(stage.home, "attached", session);
  for (const [at, name] of readdirSync(place).entries()) {
    const said = [
      { question: "nosuchthing0", answer: { decision: "allow" } },
      { question: id, answer: {} },
    ][at];
    writeFileSync(join(place, name, "say-9.json"), JSON.stringify(said), { mode: 0o600 });
  }
  for (const guest of guests) await guest.line(({ type, n }) => type === "refused" && n === 9);
  owner.child.kill("SIGSTOP");
  first.send(`/answer ${id.slice(-4)} n use another name`);
  await vi.waitFor(() => expect(existsSync(join(place, nameOf(place, 1), "say-1.json"))).toBe(true), {
    timeout: 50_000,
  });
  second.send(`/answer ${id} y`);
  await vi.waitFor(() => expect(sayings(place)).toHaveLength(2), { timeout: 50_000 });
  owner.child.kill("SIGCONT");
  const answers = await Promise.all(
    guests.map((guest) => guest.line(({ type, n }) => /taken|refused/.test(type) && n === 1)),
  );
  expect(answers.map(({ type }) => type).sort()).toEqual(["refused", "taken"]);
  expect(answers.find(({ type }) => type === "refused")).toMatchObject({
    text: expect.stringContaining("not open any more"),
  });
  const allowed = answers[1]?.type === "taken";
  owner.end();
  await owner.done;
  expect(logged(stage, session, "approval")).toHaveLength(1);
  expect(existsSync(join(stage.project, "made"))).toBe(allowed);
});

const sayings = (place: string) =>
  readdirSync(place, { recursive: true, encoding: "utf8" }).filter((file) => /say-\d+\.json$/.test(file));

/** The one of the guests that has said something. */
const nameOf = (place: string, n: number) =>
  readdirSync(place).find((name) => existsSync(join(place, name, `say-${n}.json`))) ?? "";

test("a question of the agent gets its words from there", async () => {
  const ask = { calls: [{ tool: "ask_user", input: { question: "Tea or coffee?", answers: ["tea", "coffee"] } }] };
  const stage = cliStage([ask, { text: "done" }]);
  const { owner, session, id } = await asking(stage);
  const guest = new LiveCli(["attach"], stage.project, stage.home);
  await shows(guest, /\? Tea or coffee\?\n {2}tea\n {2}coffee\n {2}\/answer \w{4} <words> answers it\./);
  guest.send(`/answer ${id.slice(-4)} cocoa`);
  await shows(guest, "done");
  owner.end();
  await owner.done;
  expect(JSON.stringify(logged(stage, session, "message"))).toContain("The user says: cocoa");
  expect(logged(stage, session, "note")).toContainEqual(expect.objectContaining({ code: "answered" }));
});

needs("python3")("the terminal that holds the session is told, and its dialog closes", async () => {
  const stage = cliStage();
  const file = join(stage.project, "..", "script.json");
  writeFileSync(file, JSON.stringify([touch, { text: "all done" }]));
  const term = new TestTerminal(["-m", `scripted/${file}`, "hello"], { cwd: stage.project, home: stage.home });
  await term.until("f  Deny and say why");
  const guest = new LiveCli(["attach"], stage.project, stage.home);
  await shows(guest, /\/answer \w{4} y allows it once/);
  const [, sign] = /\/answer (\w{4}) y/.exec(guest.stdout) ?? [];
  guest.send(`/answer ${sign} y`);
  await term.until(
    /Answered in an attached terminal \(process \d+\): allow\.[\s\S]*all done[\s\S]*What is to be done\?/,
  );
  guest.end();
  term.type("\x04");
  expect(await term.done).toBe(0);
  await guest.done;
});

needs("python3")("a terminal that waits begins a run with it; a command of its own is words there", async () => {
  const stage = cliStage();
  const file = join(stage.project, "..", "script.json");
  writeFileSync(file, JSON.stringify([{ text: "first" }, { text: "second" }]));
  const term = new TestTerminal(["-m", `scripted/${file}`, "hello"], { cwd: stage.project, home: stage.home });
  await term.until("first");
  const guest = new LiveCli(["attach"], stage.project, stage.home);
  await shows(guest, /It waits for somebody to say something\.[\s\S]*❯ hello\nfirst/);
  guest.send("/clear the table");
  await shows(guest, "the model has it: /clear the table");
  await shows(guest, "second");
  await term.until(/❯ \/clear the table[\s\S]*second[\s\S]*What is to be done\?/);
  guest.send("/quit");
  guest.end();
  term.type("\x04");
  expect(await term.done).toBe(0);
  expect((await guest.done).exit).toBe(0);
});

test("a session that nobody holds, and one that does not exist", async () => {
  const stage = cliStage();
  await stage.run(["-p", "hi"]);
  const idle = await stage.bare(["attach"]);
  expect([idle.exit, idle.stderr]).toEqual([
    1,
    expect.stringMatching(/No process holds session \w+\.\n`cinch --resume \w+`/),
  ]);
  expect((await stage.bare(["attach", "nosuchsession"])).stderr).toContain('there is no session "nosuchsession"');
});

test("a place that is a link, or open to others, is no meeting place", async () => {
  const stage = cliStage(script);
  const { session } = await held(stage);
  const elsewhere = join(stage.home, "elsewhere");
  mkdirSync(elsewhere, { mode: 0o700 });
  mkdirSync(join(stage.home, "attached"), { mode: 0o700 });
  symlinkSync(elsewhere, join(stage.home, "attached", session));
  const guest = await stage.bare(["attach", session]);
  expect([guest.exit, guest.stderr]).toEqual([1, expect.stringContaining("not this user's alone")]);
  expect(readdirSync(elsewhere)).toEqual([]);
  go(stage);
});
