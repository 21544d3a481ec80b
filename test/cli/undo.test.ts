// `cinch undo` and `cinch why` through the program: what is printed, exit codes, and a run that was killed.

import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type CliStage, cliStage } from "../support/cli.js";
import { treeOf } from "../support/tree.js";

const bash = (command: string, id: string) => ({ calls: [{ id, tool: "run_command", input: { command } }] });
const auto = ["--permission-mode", "auto"];
const read = (stage: CliStage, path: string) => readFileSync(join(stage.project, path), "utf8");

async function played(script: object[], files: Record<string, string>, settings: object = {}): Promise<CliStage> {
  const stage = cliStage([...script, { text: "done" }]);
  const own = join(stage.project, "../settings.json");
  writeFileSync(own, JSON.stringify(settings));
  for (const [path, content] of Object.entries(files)) {
    writeFileSync(join(stage.project, path), content);
    chmodSync(join(stage.project, path), 0o644);
  }
  const { exit, stderr } = await stage.run(["-p", "change\nthings", ...auto, "--settings", own]);
  expect(exit, stderr).toBe(0);
  return stage;
}

test("says what it does, does it, and says how to go back", async () => {
  const stage = await played([bash("echo 2 > a; rm b; echo c > c; chmod +x d", "c1")], { a: "1\n", b: "b", d: "d" });
  const dry = await stage.bare(["undo", "--dry-run"]);
  expect([dry.exit, dry.stderr]).toEqual([0, ""]);
  expect(dry.stdout).toMatch(
    /^Taking back the run "change things" \(session \w+\):\n {2}restore {2}a\n {2}restore {2}b\n {2}delete {3}c\n {2}mode {5}d\n$/,
  );
  expect(read(stage, "a")).toBe("2\n");
  const wet = await stage.bare(["undo", "--yes"]);
  expect([wet.exit, wet.stdout]).toEqual([0, `${dry.stdout}Done. \`cinch undo\` takes this back again.\n`]);
  expect([read(stage, "a"), read(stage, "b"), existsSync(join(stage.project, "c"))]).toEqual(["1\n", "b", false]);
  const again = await stage.bare(["undo"]);
  expect(again.stdout).toContain('Taking back the undo of the run "change things"');
  expect(read(stage, "a")).toBe("2\n");
});

test("--json is one object; a conflict is exit 1 and changes nothing", async () => {
  const stage = await played([bash("echo 2 > a; echo x > x", "c1")], { a: "1\n" });
  writeFileSync(join(stage.project, "a"), "user\n");
  const before = treeOf(stage.project);
  const { exit, stdout, stderr } = await stage.bare(["undo", "--json"]);
  expect([exit, stderr]).toEqual([1, ""]);
  const answer = JSON.parse(stdout);
  expect(answer).toMatchObject({
    undone: false,
    dry_run: false,
    entry: null,
    calls: ["c1"],
    files: [{ path: join(stage.project, "x"), action: "delete", after: null }],
    conflicts: [{ path: join(stage.project, "a"), call: "c1" }],
  });
  expect(treeOf(stage.project)).toEqual(before);
  const text = await stage.bare(["undo"]);
  expect([text.exit, text.stdout]).toEqual([1, expect.stringMatching(/nothing was changed:\n {2}a was changed since/)]);
  const one = await stage.bare(["undo", "--only", "x", "--json", "--session", answer.session_id.slice(0, 6)]);
  expect(JSON.parse(one.stdout)).toMatchObject({ undone: true, conflicts: [] });
  expect([existsSync(join(stage.project, "x")), read(stage, "a")]).toEqual([false, "user\n"]);
});

test("nothing to take back, no session, no such entry", async () => {
  const stage = await played([], {});
  const nothing = await stage.bare(["undo"]);
  expect([nothing.exit, nothing.stdout]).toEqual([0, expect.stringContaining("nothing to take back")]);
  const entry = await stage.bare(["undo", "--to", "nowhere"]);
  expect([entry.exit, entry.stderr]).toEqual([2, expect.stringContaining('no entry "nowhere"')]);
  const none = await cliStage().bare(["undo"]);
  expect([none.exit, none.stderr]).toEqual([2, expect.stringContaining("no session")]);
});

test("a session that is in use is refused; what a killed run's command did is taken back", async () => {
  const stage = cliStage([bash("echo lost > a; rm b; mkdir d; echo ready $$; exec sleep 600", "c1")]);
  writeFileSync(join(stage.project, "a"), "kept\n");
  writeFileSync(join(stage.project, "b"), "b\n", { mode: 0o640 });
  const before = treeOf(stage.project);
  const live = stage.start(["-p", "go", ...auto, "--output-format", "events"]);
  live.end();
  const said = await live.line((line) => line.type === "call.progress");
  const pid = Number(String(said["line"]).replace("ready ", ""));
  // The supervisor ends it when Cinch is killed; this is for a test that fails before.
  onTestFinished(() => {
    if (existsSync(`/proc/${pid}`)) process.kill(pid, "SIGKILL");
  });
  const busy = await stage.bare(["undo"]);
  expect([busy.exit, busy.stderr]).toEqual([1, expect.stringContaining("in use")]);
  live.child.kill("SIGKILL");
  await live.done;
  const { exit, stdout, stderr } = await stage.bare(["undo", "--yes"]);
  expect([exit, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("restore  a");
  expect(treeOf(stage.project)).toEqual(before);
  await stage.bare(["undo"]);
  expect([read(stage, "a"), existsSync(join(stage.project, "b"))]).toEqual(["lost\n", false]);
});

test("--only takes each path from the newest run that changed it", async () => {
  const stage = await played([bash("echo 2 | tee a b c", "c1")], { a: "1\n", b: "1\n", c: "1\n" });
  writeFileSync(join(stage.project, "a"), "mine\n");
  for (const path of ["b", "c"]) {
    const { exit, stderr } = await stage.bare(["undo", "--only", path]);
    expect(exit, stderr).toBe(0);
  }
  expect(["a", "b", "c"].map((path) => read(stage, path))).toEqual(["mine\n", "1\n", "1\n"]);
  const none = await stage.bare(["undo", "--only", "d"]);
  expect([none.exit, none.stderr]).toEqual([2, expect.stringContaining("No run of this session changed it")]);
});

test("what was not kept is named, and what may be its only copy is not deleted unasked", async () => {
  const stage = await played(
    [bash("mv big.bin data.bin; echo 2 > a; rm other.bin", "c1")],
    { a: "1\n", "big.bin": "x".repeat(2_000), "other.bin": "y".repeat(2_000) },
    { files: { maxBytes: 1_000 } },
  );
  const before = treeOf(stage.project);
  const { exit, stdout } = await stage.bare(["undo"]);
  expect([exit, treeOf(stage.project)]).toEqual([1, before]);
  expect(stdout).toMatch(/data\.bin is new since .*\n {2}not kept big\.bin\n {2}not kept other\.bin\n--yes/);
  const one = await stage.bare(["undo", "--only", "a"]);
  expect([one.exit, read(stage, "a")]).toEqual([0, "1\n"]);
  const lost = await stage.bare(["undo", "--only", "other.bin"]);
  expect([lost.exit, lost.stdout]).toEqual([0, expect.stringContaining("what it changed was not kept")]);
  await stage.bare(["undo", "--only", "data.bin", "--yes"]);
  expect(existsSync(join(stage.project, "data.bin"))).toBe(false);
  await stage.bare(["undo"]);
  expect(existsSync(join(stage.project, "data.bin"))).toBe(true);
});

test("a directory that was closed is opened to restore what was in it, and gets its mode last", async () => {
  const stage = await played([bash("mkdir d; echo x > d/x; chmod 755 d", "c1"), bash("rm d/x; chmod 555 d", "c2")], {});
  onTestFinished(() => chmodSync(join(stage.project, "d"), 0o755));
  const closed = treeOf(stage.project);
  const { exit, stderr } = await stage.bare(["undo", "--only", "c2"]);
  expect([exit, stderr]).toEqual([0, ""]);
  expect(treeOf(stage.project)).toEqual(["d/ 755", `d/x 644 ${Buffer.from("x\n").toString("base64")}`]);
  await stage.bare(["undo"]);
  expect(treeOf(stage.project)).toEqual(closed);
});

test("an undo of thousands of files says on stderr how far it is", async () => {
  const files = Object.fromEntries(Array.from({ length: 2_100 }, (_, i) => [`n${i}`, `${i}\n`]));
  const stage = await played([bash("rm n*", "c1")], files);
  const { exit, stderr } = await stage.bare(["undo"]);
  expect([exit, stderr]).toEqual([0, "1024 of 2100 paths restored\n2048 of 2100 paths restored\n"]);
  expect(read(stage, "n2099")).toBe("2099\n");
});

test("why names the call, the run, the approval and what was there before", async () => {
  const stage = await played(
    [
      bash("sed -i 's/two/zwei/' a", "c1"),
      { calls: [{ id: "c2", tool: "append_file", input: { path: "a", content: "four\n" } }] },
    ],
    { a: "one\ntwo\nthree\n" },
  );
  writeFileSync(join(stage.project, "a"), `mine\n${read(stage, "a")}`);
  const why = async (line: number) => JSON.parse((await stage.bare(["why", `a:${line}`, "--json"])).stdout);
  expect(await why(3)).toMatchObject({
    path: join(stage.project, "a"),
    line: 3,
    text: "zwei",
    made: "call",
    call: "c1",
    tool: "run_command",
    agent: "main",
    run: "change\nthings",
    approval: { decision: "allow", by: "rule", rule: "mode:auto" },
    replaced: ["two"],
  });
  expect(await why(5)).toMatchObject({ made: "call", call: "c2", tool: "append_file", replaced: [] });
  expect(await why(1)).toMatchObject({ made: "outside", since_call: "c2", until_call: null });
  expect(await why(2)).toMatchObject({ made: "before" });
  const { stdout } = await stage.bare(["why", "a:3"]);
  expect(stdout).toMatch(
    /zwei\nmade by {2}run_command \(call c1,.*\n.*change\\nthings.*\nallowed {2}by rule, mode:auto\nit replaced\n- two\n$/,
  );
  const bad = await stage.bare(["why", "a"]);
  expect([bad.exit, bad.stderr]).toEqual([2, expect.stringContaining("cinch why src/a.ts:12")]);
  const far = await stage.bare(["why", "a:99"]);
  expect([far.exit, far.stderr]).toEqual([2, expect.stringContaining("has 5 lines")]);
});

test("--to takes the label of an entry, and says when several have it", async () => {
  const stage = await played([bash("echo 2 > a", "c1")], { a: "1\n" });
  const tree = await stage.bare(["tree", "--json"]);
  const { entries } = JSON.parse(tree.stdout) as { entries: { id: string; role: string | null }[] };
  const [first, second] = entries.filter(({ role }) => role !== null);
  await stage.bare(["tree", "label", first?.id ?? "", "good start"]);
  const one = await stage.bare(["undo", "--to", "good start", "--dry-run"]);
  expect([one.exit, one.stderr]).toEqual([0, ""]);
  expect(one.stdout).toContain("a");
  await stage.bare(["tree", "label", second?.id ?? "", "good start"]);
  const two = await stage.bare(["undo", "--to", "good start", "--dry-run"]);
  expect(two.exit).toBe(2);
  expect(two.stderr).toContain("the label of 2 entries");
});
