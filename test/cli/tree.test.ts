// Sessions and their trees from the command line and as slash commands: JSON for scripts, text for people, exit codes.

import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SessionDetails, SessionSummary, SessionTree } from "../../src/index.js";
import { nodeFs } from "../../src/lib/fs.js";
import { systemClock, systemIds } from "../../src/lib/system.js";
import { SessionLog } from "../../src/session/log.js";
import { projectKey } from "../../src/session/store.js";
import { type CliStage, cliStage, jsonLines } from "../support/cli.js";

async function json<Value>(stage: CliStage, args: readonly string[]): Promise<Value> {
  const { exit, stdout, stderr } = await stage.bare([...args, "--json"]);
  expect([exit, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout) as Value;
}

const treeOf = (stage: CliStage, ...words: string[]) => json<SessionTree>(stage, ["tree", ...words]);

const idOf = ({ entries }: SessionTree, text: string) => {
  const id = entries.find((entry) => entry.text === text)?.id;
  if (!id) throw new Error(`no entry says ${text}`);
  return id;
};

const activeTexts = ({ entries }: SessionTree) =>
  entries.filter(({ active, type }) => active && type === "message").map(({ text }) => text);

/** Two runs in one session: first/one, second/two. */
async function started(): Promise<CliStage> {
  const stage = cliStage([{ match: "first", text: "one" }, { text: "two" }]);
  const answer = (text: string) => writeFileSync(join(stage.home, "..", "script.json"), JSON.stringify([{ text }]));
  answer("one");
  await stage.run(["-p", "first"]);
  answer("two");
  await stage.run(["-p", "second", "-c"]);
  answer("three");
  return stage;
}

test("cinch tree shows the branches; label, fork and -c go by eight characters or by label", async () => {
  const stage = await started();
  const id = idOf(await treeOf(stage), "one");
  expect(await json(stage, ["tree", "label", id.slice(0, 8), "good start"])).toEqual({
    entry: id,
    label: "good start",
  });
  expect(await json(stage, ["fork", "good start"])).toMatchObject({ head: id, name: null, files: [], draft: null });
  expect((await stage.run(["-p", "elsewhere", "-c"])).stdout).toBe("three\n");
  const tree = await treeOf(stage);
  expect(activeTexts(tree)).toEqual(["first", "one", "elsewhere", "three"]);
  const { stdout } = await stage.bare(["tree"]);
  expect(stdout).toMatch(/^\* \w{8} assistant one {2}\[good start\]$/m);
  expect(stdout).toMatch(/^ {2}├─\w{8} user {6}second$/m);
  expect(stdout).toMatch(/^\* \w{8} assistant three {2}<- here$/m);
});

test("--fork branches first and then runs, with -r, -c and alone", async () => {
  const stage = await started();
  const session = (await treeOf(stage)).session_id;
  const id = idOf(await treeOf(stage), "one");
  await stage.run(["-p", "by -r", "-r", session, "--fork", id.slice(0, 8)]);
  expect(activeTexts(await treeOf(stage))).toEqual(["first", "one", "by -r", "three"]);
  await stage.run(["-p", "by -c", "-c", "--fork", id]);
  await stage.run(["-p", "alone", "--fork", id]);
  expect(activeTexts(await treeOf(stage))).toEqual(["first", "one", "alone", "three"]);
  const { exit, stderr } = await stage.run(["-p", "x", "-c", "--fork", "zzzz"]);
  expect([exit, stderr]).toEqual([2, expect.stringContaining('There is no entry "zzzz"')]);
});

test("a named fork is a new session, found by its name", async () => {
  const stage = await started();
  const source = await treeOf(stage);
  const fork = await json<{ session_id: string }>(stage, ["fork", idOf(source, "one"), "try two"]);
  expect(await treeOf(stage, "try two")).toMatchObject({
    session_id: fork.session_id,
    parent_session: source.session_id,
  });
  expect((await stage.run(["-p", "go", "-r", "try two"])).stdout).toBe("three\n");
  const again = await stage.bare(["fork", idOf(source, "one"), "try two", "--session", source.session_id]);
  expect([again.exit, again.stderr]).toEqual([2, expect.stringContaining('There is a session "try two" already')]);
  const hostile = await stage.bare(["fork", idOf(source, "one"), "../x", "--session", source.session_id]);
  expect([hostile.exit, hostile.stderr]).toEqual([2, expect.stringContaining("cannot be the name of a session")]);
});

describe("cinch sessions", () => {
  test("list has what a picker needs, show all that is known", async () => {
    const stage = await started();
    const { sessions } = await json<{ sessions: SessionSummary[] }>(stage, ["sessions", "list"]);
    expect(sessions).toHaveLength(1);
    const [session] = sessions;
    const lines = readFileSync(session?.file ?? "", "utf8")
      .trimEnd()
      .split("\n").length;
    expect(session).toMatchObject({ prompt: "first", label: null, entries: lines, problem: null, root: stage.project });
    const details = await json<SessionDetails>(stage, ["sessions", "show", session?.id.slice(0, 6) ?? ""]);
    expect(details).toMatchObject({ ...session, turns: 2, branches: 1, damaged: 0, lost: 0, labels: [] });
    expect(details.model).toMatch(/^scripted\//);
    const { stdout } = await stage.bare(["sessions", "list"]);
    expect(stdout).toMatch(/^\w{8} {2}\d{4}-\d\d-\d\d \d\d:\d\d +\d+ entries {2}first\n$/);
  });

  test("delete asks for --yes where nobody can be asked, and is final", async () => {
    const stage = await started();
    const { session_id } = await treeOf(stage);
    const unsure = await stage.bare(["sessions", "delete", session_id]);
    expect([unsure.exit, unsure.stderr]).toEqual([2, expect.stringContaining("--yes")]);
    expect(await json(stage, ["sessions", "delete", session_id, "--yes"])).toMatchObject({ session_id });
    const gone = await stage.bare(["tree"]);
    expect([gone.exit, gone.stderr]).toEqual([2, expect.stringContaining("There is no session of")]);
  });
});

describe("slash commands", () => {
  test("/tree, /tree label and /rewind in one conversation", async () => {
    const stage = cliStage([{ text: "one" }, { text: "two" }, { text: "better" }]);
    const lines = ["first", "second", "/rewind", "second, better", "/tree"].map((text) => ({ type: "user", text }));
    const args = ["--input-format", "stream-json", "--output-format", "stream-json"];
    const { stdout } = await stage.run(args, { input: lines.map((line) => JSON.stringify(line)).join("\n") });
    const results = jsonLines(stdout).filter(({ type }) => type === "result");
    expect(results.map(({ subtype }) => subtype)).toEqual(Array.from({ length: 5 }, () => "success"));
    expect(results[2]?.["result"]).toMatch(/^The conversation goes on behind \w{8}\..*Your message was:\nsecond$/s);
    expect(results[4]?.["result"]).toMatch(/├─\w{8} user +second\n.*\* \w{8} assistant better {2}<- here$/s);
    const id = idOf(await treeOf(stage), "one");
    const label = await stage.run(["-p", `/tree label ${id.slice(0, 8)} a good  place`, "-c"]);
    expect([label.exit, label.stdout]).toEqual([0, `${id.slice(0, 8)} is "a good  place" now.\n`]);
    const again = await stage.run(["-p", '/tree label "a good  place" "good start"', "-c"]);
    expect(again.stdout).toBe(`${id.slice(0, 8)} is "good start" now.\n`);
    const fork = await stage.run(["-p", '/fork "good start"', "-c"]);
    expect([fork.exit, fork.stdout]).toEqual([0, expect.stringContaining(`behind ${id.slice(0, 8)}`)]);
  });

  test("/fork <ID> <NAME> --switch goes on in the new session, without it nothing is switched", async () => {
    const stage = await started();
    const { session_id, entries } = await treeOf(stage);
    const id = entries.find(({ text }) => text === "one")?.id ?? "";
    const lines = [`/fork ${id} stays`, `/fork ${id} goes on --switch`, "more"].map((text) => ({ type: "user", text }));
    const args = ["-c", "--input-format", "stream-json", "--output-format", "stream-json"];
    const { exit, stdout } = await stage.run(args, { input: lines.map((line) => JSON.stringify(line)).join("\n") });
    expect(exit).toBe(0);
    const results = jsonLines(stdout).filter(({ type }) => type === "result");
    expect(results.map((result) => result["session_id"] === session_id)).toEqual([true, false, false]);
    expect(activeTexts(await treeOf(stage, "goes on"))).toEqual(["first", "one", "more", "three"]);
    expect(activeTexts(await treeOf(stage, session_id))).toEqual(["first", "one", "second", "two"]);
  });

  test("what is refused is a result with a reason, exit 1", async () => {
    const stage = await started();
    const { exit, stdout, stderr } = await stage.run(["-p", "/fork zzzz", "-c", "--output-format", "json"]);
    expect([exit, JSON.parse(stdout)]).toEqual([
      1,
      expect.objectContaining({ is_error: true, num_turns: 0, detail: expect.stringContaining('no entry "zzzz"') }),
    ]);
    expect(stderr).toContain('There is no entry "zzzz"');
  });
});

test("D 88: of two programs on one session the second is refused, or goes on in a copy with --fork", async () => {
  const stage = await started();
  const { session_id, entries } = await treeOf(stage);
  const one = entries.find(({ text }) => text === "one")?.id ?? "";
  const live = stage.start(["-c", "--input-format", "stream-json", "--output-format", "stream-json"]);
  await live.line(({ subtype }) => subtype === "init");
  const refused = await stage.run(["-p", "me too", "-r", session_id]);
  expect(refused.exit).toBe(1);
  expect(refused.stderr).toContain(`is in use by process ${live.child.pid}`);
  expect(refused.stderr).toContain("--fork <entry>");
  live.send({ type: "user", text: "here" });
  const branched = await stage.run(["-p", "there", "-r", session_id, "--fork", one]);
  expect([branched.exit, branched.stdout]).toEqual([0, "three\n"]);
  await live.line(({ type }) => type === "result");
  live.end();
  expect((await live.done).exit).toBe(0);
  const { sessions } = await json<{ sessions: SessionSummary[] }>(stage, ["sessions", "list"]);
  const copy = sessions.find(({ id }) => id !== session_id)?.id ?? "";
  expect(activeTexts(await treeOf(stage, copy))).toEqual(["first", "one", "there", "three"]);
  // Between them the model is told that this time somebody can approve.
  const said = activeTexts(await treeOf(stage, session_id)).filter((text) => !text.startsWith("Changed since"));
  expect(said).toEqual(["first", "one", "second", "two", "here", "three"]);
  expect((await stage.bare(["sessions", "verify"])).exit).toBe(0);
});

test("D 87: a session of 5,000 entries in one line is shown in a few, without depth", async () => {
  const stage = cliStage();
  const dir = join(stage.home, "sessions", projectKey(stage.project));
  mkdirSync(dir, { recursive: true });
  const header = {
    format: "cinch-session",
    project: projectKey(stage.project),
    root: stage.project,
    created: "",
  } as const;
  const ports = { disk: nodeFs, clock: systemClock, ids: systemIds, spillDir: join(stage.home, "spill") };
  const log = SessionLog.create({ ...ports, dir, header });
  for (let i = 0; i < 5_000; i++) {
    const role = i % 2 === 0 ? "user" : "assistant";
    const text = `message ${i}: ${"word ".repeat(40)}`;
    log.append("message", { role, parts: [{ type: "text", text }], ...(role === "user" ? { origin: "user" } : {}) });
  }
  await log.close();
  const { exit, stdout } = await stage.bare(["tree"]);
  expect(exit).toBe(0);
  expect(stdout.trimEnd().split("\n").length).toBeLessThan(14);
  expect(stdout).toContain("… 4,992 entries");
  expect(Math.max(...stdout.split("\n").map((line) => line.search(/\S/)))).toBeLessThanOrEqual(2);
  const slash = await stage.run(["-p", "/tree", "-c"]);
  expect([slash.exit, slash.stdout]).toEqual([0, stdout]);
  appendFileSync(log.file, "not a line");
  expect((await stage.bare(["tree"])).stdout).toContain("1 line of the file cannot be read");
});
