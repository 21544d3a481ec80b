// kill -9 in the middle of a file tool: the model is told what really became of each file, and `cinch undo` takes the run back, whether
// the session has gone on meanwhile or not. The program ends itself at the very instant, so no run is a matter of luck.

import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { type CliStage, cliStage } from "../support/cli.js";
import { scripted } from "../support/lsp.js";
import { root } from "../support/run.js";
import { treeOf } from "../support/tree.js";

const call = (tool: string, input: object, id = "k") => ({ calls: [{ id, tool, input }] });
const files = {
  "a.txt": "one\ntwo\n3\n4\n5\n",
  "b.def": "def beta\nuse alpha\n",
  "a.def": "def alpha\nuse alpha\n",
  "c.def": "use alpha\n",
};
const written =
  /This call was done before the session was interrupted; only its result was lost\. Written as planned: /;
const unwritten = /Not done: the session was interrupted before this call changed anything\. Not written: /;

function staged(script: readonly object[]): CliStage {
  const stage = cliStage([...script, { text: "never said" }]);
  for (const [path, text] of Object.entries(files)) writeFileSync(join(stage.project, path), text);
  symlinkSync("a.txt", join(stage.project, "link"));
  return stage;
}

const flags = (stage: CliStage) => {
  const own = join(dirname(stage.project), "own.json");
  writeFileSync(own, JSON.stringify({ sandbox: { mode: "off" }, tools: { declare: ["lsp"] } }));
  writeFileSync(join(stage.home, "lsp.json"), JSON.stringify(scripted(join(dirname(stage.project), "server.jsonl"))));
  return ["--permission-mode", "auto", "--settings", own];
};

/** Ends in the middle of the call `k`. */
async function killed(stage: CliStage, at: string): Promise<void> {
  const env = {
    NODE_OPTIONS: `--import ${pathToFileURL(join(root, "test/support/kill-at.mjs")).href}`,
    CINCH_KILL_AT: at,
  };
  const live = stage.start(["-p", "go", ...flags(stage)], { env });
  live.end();
  expect((await live.done).signal).toBe("SIGKILL");
}

/** The session goes on, and nothing more is changed in it. Returns the result object and the text the call got. */
async function goneOn(stage: CliStage) {
  const script = join(stage.project, "../next.json");
  writeFileSync(script, JSON.stringify([{ text: "done" }]));
  const args = ["-c", "-p", "go on", ...flags(stage), "-m", `scripted/${script}`, "--output-format", "json"];
  const { exit, stdout, stderr } = await stage.bare(args);
  expect(exit, stderr).toBe(0);
  const sessions = join(stage.home, "sessions");
  const [project = ""] = readdirSync(sessions);
  const log = readdirSync(join(sessions, project)).find((name) => name.endsWith(".jsonl")) ?? "";
  const entries = readFileSync(join(sessions, project, log), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const parts = entries.flatMap(({ type, data }) => (type === "message" ? data.parts : []));
  const told = parts.find((part: { type: string; callId?: string }) => part.type === "result" && part.callId === "k");
  return { result: JSON.parse(stdout), told: told?.text as string };
}

const read = call("read_file", { path: "a.txt" }, "r");
const edit = call("edit_file", { path: "a.txt", old_string: "two", new_string: "2" });
const rewrite = {
  calls: [
    { id: "d", tool: "delete_file", input: { path: "a.txt" } },
    { id: "k", tool: "write_file", input: { path: "a.txt", content: "new\n" } },
  ],
};

describe.each([
  ["edit_file", [read, edit], "a.txt", "a.txt"],
  [
    "several edits",
    [read, call("edit_file", { path: "a.txt", edits: [{ old_string: "one", new_string: "1" }] })],
    "a.txt",
    "a.txt",
  ],
  ["append_file", [call("append_file", { path: "a.txt", content: "three\n" })], "a.txt", "a.txt"],
  ["append_file that creates", [call("append_file", { path: "new.txt", content: "one\n" })], "new.txt", "new.txt"],
  ["write_file", [call("write_file", { path: "d/new.txt", content: "new\n" })], "new.txt", "d/new.txt"],
  ["a rewrite", [rewrite], "a.txt", "a.txt"],
  ["delete_file of a link", [call("delete_file", { path: "link" })], "link", "link"],
])("%s", (_, script, name, shown) => {
  test.each([
    ["after", written],
    ["before", unwritten],
  ])("killed %s its file was changed", async (when, says) => {
    const stage = staged(script);
    const before = treeOf(stage.project);
    await killed(stage, `${when}:${name}`);
    const changed = treeOf(stage.project).filter((line) => !line.includes(".tmp"));
    // Also before anything goes on.
    const { stdout: dry } = await stage.bare(["undo", "--dry-run"]);
    expect(dry).toMatch(when === "after" ? / (restore|delete) {2,}/ : /nothing to take back|delete {3}d\n$/);
    const { told, result } = await goneOn(stage);
    expect(told).toMatch(says);
    expect(told).toContain(shown);
    expect(told).not.toContain("unknown");
    expect(result.files.length).toBe(when === "after" ? 1 : 0);
    const { exit, stderr } = await stage.bare(["undo", "--yes"]);
    expect(exit, stderr).toBe(0);
    expect(treeOf(stage.project).filter((line) => !line.includes(".tmp"))).toEqual(before);
    if (when === "before") return;
    await stage.bare(["undo"]);
    expect(treeOf(stage.project).filter((line) => !line.includes(".tmp"))).toEqual(changed);
  });
});

test("a rename over several files, killed between them: which are written is told, and all of it goes back", async () => {
  const open = { calls: [{ id: "o", tool: "lsp_definition", input: { path: "b.def", line: 2, column: 5 } }] };
  const rename = call("lsp_rename", { path: "a.def", symbol: "alpha", new_name: "omega" });
  const stage = staged([open, rename]);
  const before = treeOf(stage.project);
  await killed(stage, "after:b.def");
  const { told, result } = await goneOn(stage);
  expect(told).toMatch(
    /in the middle of this call\. Written as planned: b\.def\. Not written, still as before: a\.def/,
  );
  expect(result.files.map(({ path }: { path: string }) => path)).toEqual([join(stage.project, "b.def")]);
  const { exit, stdout } = await stage.bare(["undo"]);
  expect([exit, stdout]).toEqual([0, expect.stringContaining("restore  b.def")]);
  expect(treeOf(stage.project).filter((line) => !line.includes(".tmp"))).toEqual(before);
});

test("a deletion at the end of a run, killed right after it", async () => {
  const stage = staged([call("delete_file", { path: "a.txt" }), { text: "done" }]);
  const before = treeOf(stage.project);
  await killed(stage, "after:a.txt");
  expect((await stage.bare(["undo", "--dry-run"])).stdout).toContain("restore  a.txt");
  expect((await goneOn(stage)).result.files).toMatchObject([{ path: join(stage.project, "a.txt"), after: null }]);
  expect((await stage.bare(["undo"])).exit).toBe(0);
  expect(treeOf(stage.project)).toEqual(before);
});

test("what was done before the kill, and what somebody changed after it", async () => {
  const stage = staged([call("write_file", { path: "first.txt", content: "1\n" }, "f"), read, edit]);
  const before = treeOf(stage.project);
  await killed(stage, "after:a.txt");
  writeFileSync(join(stage.project, "a.txt"), "one\n2\n3\n4\n5\nmine\n");
  const { told } = await goneOn(stage);
  expect(told).toMatch(/a\.txt is neither as before nor as this call would have left it: look first/);
  const { exit, stdout } = await stage.bare(["undo"]);
  expect([exit, stdout]).toEqual([0, expect.stringMatching(/merge {4}a\.txt[^\n]*\n {2}delete {3}first\.txt/)]);
  expect(readFileSync(join(stage.project, "a.txt"), "utf8")).toBe("one\ntwo\n3\n4\n5\nmine\n");
  writeFileSync(join(stage.project, "a.txt"), files["a.txt"]);
  expect(treeOf(stage.project)).toEqual(before);
});
