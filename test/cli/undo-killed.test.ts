// Undo after kill -9: of a command, of a file tool's run, of the undo itself. What nobody saw is never taken back unasked.

import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nodeFs } from "../../src/lib/fs.js";
import { thisLife } from "../../src/lib/life.js";
import { tempName } from "../../src/lib/temp-name.js";
import { type CliStage, cliStage } from "../support/cli.js";
import { treeOf } from "../support/tree.js";

const auto = ["--permission-mode", "auto"];
const bash = (command: string, id: string) => ({ calls: [{ id, tool: "run_command", input: { command } }] });
const put = (stage: CliStage, path: string, content: string) => writeFileSync(join(stage.project, path), content);
const read = (stage: CliStage, path: string) => readFileSync(join(stage.project, path), "utf8");

/** A session whose process is killed while its command waits, all of its work done. */
async function killed(
  command: string,
  files: Record<string, string>,
  then: object[] = [],
  flags: readonly string[] = [],
): Promise<CliStage> {
  const stage = cliStage([bash(`${command}; echo ready $$; exec sleep 600`, "c1"), ...then]);
  mkdirSync(join(stage.project, "d"));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(stage.project, path)), { recursive: true });
    put(stage, path, content);
  }
  const live = stage.start(["-p", "go", ...auto, ...flags, "--output-format", "events"]);
  live.end();
  const said = await live.line((line) => line.type === "call.progress");
  const pid = Number(String(said["line"]).replace("ready ", ""));
  onTestFinished(() => {
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      // A session that went on has ended it.
      expect((error as NodeJS.ErrnoException).code).toBe("ESRCH");
    }
  });
  live.child.kill("SIGKILL");
  await live.done;
  return stage;
}

test("what the user did after the crash is not taken for the command's", async () => {
  const stage = await killed("rm a", { a: "a\n", u: "1\n2\n" });
  appendFileSync(join(stage.project, "u"), "mine\n");
  put(stage, "mine", "mine\n");
  const after = treeOf(stage.project);
  const { exit, stdout } = await stage.bare(["undo"]);
  expect([exit, treeOf(stage.project)]).toEqual([1, after]);
  for (const path of ["a", "u", "mine"]) expect(stdout).toContain(`  ${path} differs since Cinch was killed`);
  const json = JSON.parse((await stage.bare(["undo", "--json"])).stdout);
  expect([json.undone, json.conflicts.every((conflict: { doubt?: true }) => conflict.doubt)]).toEqual([false, true]);
  const one = await stage.bare(["undo", "--only", "a", "--yes"]);
  expect([one.exit, read(stage, "a"), read(stage, "u"), read(stage, "mine")]).toEqual([
    0,
    "a\n",
    "1\n2\nmine\n",
    "mine\n",
  ]);
});

test("a directory that the command moved goes back, with everything in it", async () => {
  const stage = await killed("mv d d2; mv f f2; cp -p g g2", { "d/e": "e\n", f: "f\n", g: "g\n" });
  const moved = treeOf(stage.project);
  const { exit, stderr } = await stage.bare(["undo", "--yes"]);
  expect([exit, stderr]).toEqual([0, ""]);
  expect(treeOf(stage.project).map((line) => line.replace(/ .*/, ""))).toEqual(["d/", "d/e", "f", "g"]);
  await stage.bare(["undo"]);
  expect(treeOf(stage.project)).toEqual(moved);
});

test("what the command did in an added directory goes back as well", async () => {
  const flags = ["--add-dir", "../extra", "--allow", "Bash"];
  const stage = await killed("cd ../extra; rm old; echo n > new", { "../extra/old": "old\n" }, [], flags);
  const { exit } = await stage.bare(["undo", "--yes"]);
  expect([exit, treeOf(join(stage.project, "../extra")).length, read(stage, "../extra/old")]).toEqual([0, 1, "old\n"]);
});

test("when the session goes on, the model and the result hear of it, and it can still be taken back", async () => {
  const stage = await killed("rm d/e; echo 2 >> k", { "d/e": "e\n", k: "1\n" }, []);
  const script = join(stage.project, "../next.json");
  writeFileSync(script, JSON.stringify([bash("echo new > n", "c2"), { text: "done" }]));
  const args = ["-c", "-p", "go on", ...auto, "-m", `scripted/${script}`, "--output-format", "json"];
  const { exit, stdout, stderr } = await stage.bare(args);
  expect(exit, stderr).toBe(0);
  const { files, coverage } = JSON.parse(stdout);
  const names = files.map(({ path, unsure }: { path: string; unsure?: true }) => [
    path.slice(stage.project.length + 1),
    unsure,
  ]);
  expect([names, coverage]).toEqual([
    [
      ["d/e", true],
      ["k", true],
      ["n", undefined],
    ],
    "partial",
  ]);
  const [project] = readdirSync(join(stage.home, "sessions"));
  const [log] = readdirSync(join(stage.home, "sessions", project ?? "")).filter((name) => name.endsWith(".jsonl"));
  const text = readFileSync(join(stage.home, "sessions", project ?? "", log ?? ""), "utf8");
  expect(text).toMatch(/it is unknown whether it took effect[^"]*\\n\[changed: d\/e deleted -1\]\\n\[changed: k \+1\]/);
  // Both are one run, so nothing of it is taken back while a part of it is in doubt.
  const whole = await stage.bare(["undo"]);
  expect([whole.exit, whole.stdout]).toEqual([1, expect.stringContaining("d/e differs since Cinch was killed")]);
  expect((await stage.bare(["undo", "--only", "c2"])).stdout).toContain("delete   n");
  const call = await stage.bare(["undo", "--only", "c1"]);
  expect([call.exit, call.stdout]).toEqual([1, expect.stringContaining("d/e differs since Cinch was killed")]);
  expect((await stage.bare(["undo", "--only", "c1", "--yes"])).exit).toBe(0);
  expect([read(stage, "d/e"), read(stage, "k"), existsSync(join(stage.project, "n"))]).toEqual(["e\n", "1\n", false]);
});

/** The log of the only session, cut behind the last entry that fits, as kill -9 leaves it. */
function cutAfter(stage: CliStage, fits: (entry: { type: string; data: { call?: string } }) => boolean): void {
  const [project] = readdirSync(join(stage.home, "sessions"));
  const directory = join(stage.home, "sessions", project ?? "");
  const file = join(directory, readdirSync(directory).find((name) => name.endsWith(".jsonl")) ?? "");
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const last = lines.findLastIndex((line) => fits(JSON.parse(line)));
  writeFileSync(file, `${lines.slice(0, last + 1).join("\n")}\n`);
}

test("an undo that was killed is gone on with, its temp files go, and then it is one undo", async () => {
  const stage = cliStage([bash("rm a b; echo 2 > c", "c1"), { text: "done" }]);
  for (const path of ["a", "b", "c"]) put(stage, path, `${path}\n`);
  const before = treeOf(stage.project);
  await stage.run(["-p", "go", ...auto]);
  const after = treeOf(stage.project);
  await stage.bare(["undo"]);
  cutAfter(stage, ({ type, data }) => type === "checkpoint" && data.call?.startsWith("undo_") === true);
  rmSync(join(stage.project, "b"));
  put(stage, "c", "2\n");
  put(stage, tempName({ ...thisLife(nodeFs), pid: 0x7fffffff }), "half");
  const rest = await stage.bare(["undo", "--only", "b"]);
  expect([rest.exit, rest.stdout]).toEqual([0, expect.stringContaining("the rest of the run")]);
  const last = await stage.bare(["undo"]);
  expect([last.exit, last.stdout]).toEqual([
    0,
    expect.stringMatching(/the rest of the run .*\n {2}restore {2}c\nDone/),
  ]);
  expect(treeOf(stage.project)).toEqual(before);
  const back = await stage.bare(["undo"]);
  expect(back.stdout).toContain('Taking back the undo of the run "go"');
  expect(treeOf(stage.project)).toEqual(after);
});

test("an undo that was killed before its first file, or cannot write, does not count", async () => {
  const stage = cliStage([bash("rm a", "c1"), { text: "done" }]);
  put(stage, "a", "a\n");
  await stage.run(["-p", "go", ...auto]);
  await stage.bare(["undo"]);
  cutAfter(stage, ({ type, data }) => type === "checkpoint" && data.call?.startsWith("undo_") === true);
  rmSync(join(stage.project, "a"));
  const { exit, stdout } = await stage.bare(["undo"]);
  expect([exit, stdout]).toEqual([0, expect.stringMatching(/^Taking back the run "go"/)]);
  expect(read(stage, "a")).toBe("a\n");
});
