// The ten built-in tools as a model meets them: what they answer, word for word where every word is paid for.

import fs from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { toolBench } from "../../test/support/tools.js";
import { Refusal } from "../core/errors.js";

const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join("");

test("read_file: numbered lines, and a footer only when something is left out", async () => {
  const { call, root } = toolBench({ "a.txt": "one\ntwo\nthree\n", "empty.txt": "" });
  const whole = await call("read_file", { path: "a.txt" });
  expect(whole.text).toBe("1:one\n2:two\n3:three");
  const hash = whole.files?.[0]?.after;
  expect(whole.files).toEqual([{ path: `${root}/a.txt`, before: hash, after: hash }]);
  const part = await call("read_file", { path: "a.txt", offset: 2, limit: 1 });
  expect(part.text).toBe("2:two\n(lines 2-2 of 3, go on with offset 3)");
  expect((await call("read_file", { path: "a.txt", offset: 3 })).text).toBe("3:three\n(lines 3-3, end of file)");
  expect((await call("read_file", { path: "a.txt", offset: 9 })).text).toBe("(no line 9: the file has 3 lines)");
  expect((await call("read_file", { path: "empty.txt" })).text).toBe("(empty file)");
});

test("read_file: a long file is cut where the answer would be too long", async () => {
  const { call } = toolBench({ "a.txt": `${"x".repeat(999)}\n`.repeat(200) });
  const { text } = await call("read_file", { path: "a.txt" });
  expect(text.length).toBeLessThan(29_000);
  expect(text).toMatch(/\n\(lines 1-27 of 200, go on with offset 28\)$/);
});

test("read_file: what cannot be read is refused before anything is read", async () => {
  const { plan, refusal } = toolBench({ "d/a.txt": "" });
  expect((await plan("read_file", { path: "./d/../d/a.txt" })).summary).toBe("read d/a.txt");
  await expect(plan("read_file", { path: "/proc/self/environ" })).rejects.toMatchObject({ kind: "outside" });
  await expect(plan("read_file", { path: "d" })).rejects.toMatchObject({ kind: "not-a-file" });
  await expect(plan("read_file", { path: "none" })).rejects.toMatchObject({ kind: "missing" });
  expect((await refusal("read_file", { path: 7 })).message).toMatch(/^read_file was not run.*path: /);
  expect((await refusal("read_file", { path: "d/a.txt", offset: 0 })).message).toContain("offset: ");
});

test("write_file: creates, says identical is identical, refuses to overwrite", async () => {
  const { call, text, refusal, at } = toolBench();
  const made = await call("write_file", { path: "src/a.txt", content: "one\ntwo\n" });
  expect(made).toMatchObject({ status: "ok", text: "created src/a.txt (2 lines, 8 bytes)" });
  expect(made.files).toEqual([{ path: at("src/a.txt"), before: null, after: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
  const same = await call("write_file", { path: "src/a.txt", content: "one\ntwo\n" });
  expect(same.text).toBe("already_exists_same_content: src/a.txt (2 lines, 8 bytes), nothing written");
  expect(same.data).toMatchObject({ status: "already_exists_same_content" });
  const error = await refusal("write_file", { path: "src/a.txt", content: "other" });
  expect(error).toMatchObject({ kind: "exists", ways: ["edit", "append", "rewrite"] });
  expect(text("src/a.txt")).toBe("one\ntwo\n");
});

test("write_file: the plan is what a person approves", async () => {
  const { plan, at } = toolBench();
  expect(await plan("write_file", { path: "a.txt", content: "one\n" })).toMatchObject({
    effect: "write",
    paths: [at("a.txt")],
    summary: "create a.txt (1 line, 4 bytes)",
    view: { type: "diff", path: "a.txt", diff: "@@ -0,0 +1 @@\n+one" },
  });
});

test("append_file: counts in one unit each, and the end to go on from", async () => {
  const { call, text } = toolBench();
  expect((await call("append_file", { path: "a.txt", content: "hello world" })).text).toBe(
    "appended 1 line, 11 bytes; a.txt now has 1 line, 11 bytes, ends with:\nhello world",
  );
  const more = await call("append_file", { path: "a.txt", content: "\nb\nc\n", expected_size: 11 });
  expect(more.text).toContain("a.txt now has 3 lines, 16 bytes, ends with:\nb\nc\nnote: the file did not end");
  expect(text("a.txt")).toBe("hello world\nb\nc\n");
});

test("edit_file: the changed lines, each block under its first line", async () => {
  const { call, text } = toolBench({ "a.ts": "one\ntwo\nthree\nfour\n" });
  await call("read_file", { path: "a.ts" });
  const edited = await call("edit_file", { path: "a.ts", old_string: "two", new_string: "2" });
  expect(edited.text).toBe("edited a.ts\n@@ -2 +2 @@\n-two\n+2");
  const all = await call("edit_file", { path: "a.ts", old_string: "o", new_string: "0", replace_all: true });
  expect(all.text).toMatch(/^edited a\.ts \(2 replacements\)\n/);
  const several = [
    { old_string: "0ne", new_string: "1" },
    { old_string: "three", new_string: "3" },
  ];
  await call("edit_file", { path: "a.ts", edits: several });
  expect(text("a.ts")).toBe("1\n2\n3\nf0ur\n");
});

test("edit_file: several blocks, numbered by their lines before and after", async () => {
  const { call } = toolBench({ "a.txt": lines(20) });
  await call("read_file", { path: "a.txt" });
  const edits = [
    { old_string: "line 3\n", new_string: "line 3\nnew\n" },
    { old_string: "line 15\n", new_string: "" },
  ];
  expect((await call("edit_file", { path: "a.txt", edits })).text).toBe(
    "edited a.txt (2 replacements)\n@@ -3,0 +4 @@\n+new\n@@ -15 +15,0 @@\n-line 15",
  );
});

test("edit_file: a long diff is bounded", async () => {
  const { call } = toolBench({ "a.txt": lines(150) });
  await call("read_file", { path: "a.txt" });
  const { text } = await call("edit_file", { path: "a.txt", old_string: "line", new_string: "row", replace_all: true });
  expect(text.split("\n").length).toBe(82);
  expect(text).toMatch(/\(221 more lines of diff\)$/);
});

test("edit_file: contradictory arguments are named", async () => {
  const { refusal } = toolBench({ "a.txt": "x" });
  const edits = [{ old_string: "x", new_string: "y" }];
  expect((await refusal("edit_file", { path: "a.txt" })).message).toContain("give either");
  expect((await refusal("edit_file", { path: "a.txt", edits: [] })).message).toContain("give either");
  expect((await refusal("edit_file", { path: "a.txt", old_string: "x", new_string: "z", edits })).message).toContain(
    "give either",
  );
  expect((await refusal("edit_file", { path: "a.txt", old_string: "x" })).message).toContain("new_string is missing");
});

test("delete_file: deletes, after which the path is free again", async () => {
  const { call, at } = toolBench({ "a.txt": "x" });
  const gone = await call("delete_file", { path: "a.txt" });
  expect(gone).toMatchObject({ text: "deleted a.txt", files: [{ path: at("a.txt"), after: null }] });
  expect(fs.existsSync(at("a.txt"))).toBe(false);
  await call("write_file", { path: "a.txt", content: "new" });
});

test("list_files, find_files, search_text: paths as the model writes them, and the rest counted", async () => {
  const { call, plan, refusal, root } = toolBench({
    ".gitignore": "out/\n",
    "out/x.ts": "hit",
    "src/a.ts": "one\nhit me\nhit again\n",
    "src/line\nbreak.ts": "",
  });
  expect((await call("list_files", {})).text).toBe(".gitignore\nsrc/");
  expect((await call("list_files", { path: "src" })).text).toBe("a.ts\nline\\nbreak.ts");
  expect((await call("find_files", { glob: "a.*", path: "src" })).text).toBe("src/a.ts");
  expect((await call("find_files", { glob: "*.py" })).text).toBe("(no files)");
  expect((await call("search_text", { pattern: "h.t" })).text).toBe("src/a.ts\n2:hit me\n3:hit again");
  expect((await call("search_text", { pattern: "HIT", ignore_case: true, path: "src/a.ts" })).data).toEqual({
    files: 1,
    matches: 2,
  });
  expect((await call("search_text", { pattern: "nothing here" })).text).toBe("(no matches)");
  expect((await refusal("search_text", { pattern: "(" })).message).toContain("unclosed group");
  for (const [tool, more] of [
    ["list_files", {}],
    ["find_files", { glob: "*" }],
    ["search_text", { pattern: "x" }],
  ] as const) {
    expect((await plan(tool, { ...more, path: ".." })).paths).toEqual([dirname(root)]);
    expect(await refusal(tool, { ...more, path: "/proc" })).toMatchObject({ kind: "outside" });
    expect(await refusal(tool, { ...more, path: "none" })).toMatchObject({ kind: "missing" });
  }
});

test("search_text and find_files: what is not shown is counted", async () => {
  const many = Object.fromEntries(Array.from({ length: 203 }, (_, i) => [`f${i}.txt`, "hit\n"]));
  const { call } = toolBench(many);
  expect((await call("find_files", { glob: "*.txt" })).text).toMatch(
    /\n\(3 more not shown; narrow it with path or glob\)$/,
  );
  expect((await call("search_text", { pattern: "hit" })).text).toMatch(
    /\n\(103 more matches not shown; narrow it with path or glob\)$/,
  );
});

test("run_command: output, and an exit code only when it is not 0", async () => {
  const { call, plan, at } = toolBench({ "d/f": "" });
  expect(await call("run_command", { command: "echo hi; echo" })).toMatchObject({ status: "ok", text: "hi", exit: 0 });
  expect(await call("run_command", { command: "echo no >&2; exit 3" })).toMatchObject({
    status: "error",
    text: "no\n[exit code 3]",
    exit: 3,
  });
  expect((await call("run_command", { command: "true" })).text).toBe("(no output)");
  expect((await call("run_command", { command: "pwd", cwd: "d" })).text).toBe(at("d"));
  const timed = await call("run_command", { command: "echo start; sleep 60", timeout_seconds: 1 });
  expect(timed).toMatchObject({
    status: "error",
    text: "start\n[timed out after 1 s and was ended; timeout_seconds gives it more, up to 600]",
    exit: null,
  });
  expect((await call("run_command", { command: "sleep 60 & echo on" })).text).toBe(
    "on\n[1 process left running in the background, ended now]",
  );
  const a = await plan("run_command", { command: "pwd" });
  const b = await plan("run_command", { command: "pwd", cwd: "d" });
  expect([a.effect, a.summary, a.digest === b.digest]).toEqual(["read", "run pwd", false]);
  expect((await plan("run_command", { command: "pwd > f" })).effect).toBe("exec");
  expect((await plan("run_command", { command: "pwd" })).command).toMatchObject({
    verdict: "readonly",
    command: "pwd",
  });
});

test("run_command: a read that is none any more when it is to run is not run", async () => {
  const { at, plan, apply } = toolBench({ f: "plain\n" });
  const read = await plan("run_command", { command: "cat f" });
  expect(read.effect).toBe("read");
  fs.rmSync(at("f"));
  fs.symlinkSync("/etc/passwd", at("f"));
  await expect(apply("run_command", read)).rejects.toThrow("What the command would do has changed");
});

test("run_command: directories outside, missing, or none at all are refused", async () => {
  const { refusal } = toolBench({ f: "" });
  expect(await refusal("run_command", { command: "pwd", cwd: ".." })).toMatchObject({ kind: "outside" });
  expect(await refusal("run_command", { command: "pwd", cwd: "none" })).toMatchObject({ kind: "missing" });
  expect(await refusal("run_command", { command: "pwd", cwd: "f" })).toMatchObject({ kind: "not-a-file" });
  expect((await refusal("run_command", { command: "a\0b" })).message).toContain("NUL");
  expect((await refusal("run_command", { command: "x", timeout_seconds: 601 })).message).toContain("timeout_seconds");
});

test("use_tool: stands for a call, shows a schema, or lists what there is", async () => {
  const { call, refusal } = toolBench();
  const shown = await call("use_tool", { name: "delete_file" });
  expect(shown.text).toBe(
    'delete_file: Deletes a file.\n{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}',
  );
  const error = await refusal("use_tool", { name: "nothing" });
  expect(error).toBeInstanceOf(Refusal);
  expect(error.message).toMatch(
    /There is no tool "nothing"\. The tools are: read_file, .*run_command, .*update_plan\b.*\.$/,
  );
});
