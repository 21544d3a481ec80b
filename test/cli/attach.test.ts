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
  await vi.waitFor(() => expect(live.stdout).toMatch(what), { timeout: 20_000, interval: 20 });
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
  await vi.waitFor(() => {
    const place = join(stage.home, "attached", session);
    const files = readdirSync(place, { recursive: true, encoding: "utf8" });
    expect(files.filter((file) => /say-\d+\.json$/.test(file))).toHaveLength(1);
  });
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
