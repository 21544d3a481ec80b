// Where the door of files/ leads, and what comes out of it: paths and links inside and outside, ranges, large, endless and
// binary files. What goes in has files of its own: door-create.test, door-edit.test, commit.test.

import fs from "node:fs";
import { expect, test } from "vitest";
import { expectPath, makePipe, makeTree, pathCases } from "../../test/support/path-cases.js";
import { append, edit, project } from "../../test/support/project-files.js";
import { errorOf, refused } from "../../test/support/refusal.js";
import { createFiles } from "./door.js";

test.each(pathCases)("read and write, $id: $path", async (row) => {
  const tree = await makeTree(row);
  try {
    const files = createFiles({ root: tree.root });
    for (const act of [() => files.read(tree.path, {}), () => files.planCreate(tree.path, "new\n")]) {
      const error = await errorOf(act);
      expectPath(row, error);
      if (row.expect === "error-type") expect(error).toMatchObject({ kind: "not-a-file" });
    }
  } finally {
    tree.close();
  }
});

test("added directories can be changed, readable ones only read", async () => {
  const added = project({ "a.txt": "a\n" });
  const spill = project({ "s.txt": "s\n" });
  const { files } = project({}, { addDirs: [added.root], readable: [spill.root] });
  await files.read(added.at("a.txt"), {});
  await edit(files, added.at("a.txt"), "a", "b");
  expect(added.text("a.txt")).toBe("b\n");
  expect((await files.read(spill.at("s.txt"), {})).lines).toEqual(["s"]);
  expect((await refused(files.planAppend(spill.at("s.txt"), "x"))).kind).toBe("outside");
});

test("writes through a link that stays inside, never through one to nothing", async () => {
  const { files, at, text } = project({ "real.txt": "one\n" });
  fs.symlinkSync("real.txt", at("link"));
  fs.symlinkSync("missing.txt", at("dangling"));
  await append(files, "link", "two\n");
  expect(text("real.txt")).toBe("one\ntwo\n");
  expect(fs.lstatSync(at("link")).isSymbolicLink()).toBe(true);
  expect((await refused(files.planCreate("dangling", "x"))).message).toContain("target does not exist");
  expect(fs.existsSync(at("missing.txt"))).toBe(false);
});

test("a directory swapped for a link between plan and commit is noticed", async () => {
  const outside = project();
  const { files, at } = project({ "d/old.txt": "old\n" });
  const plans = [await files.planCreate("d/new.txt", "x"), await files.planDelete("d/old.txt")];
  fs.renameSync(at("d"), at("moved"));
  fs.writeFileSync(outside.at("old.txt"), "old\n");
  fs.symlinkSync(outside.root, at("d"));
  for (const plan of plans) await refused(files.commit(plan));
  expect(fs.readdirSync(outside.root)).toEqual(["old.txt"]);
});

test.each(["directory", "pipe"])("a %s is a typed refusal, at once, for every verb", async (what) => {
  const { files, at } = project();
  if (what === "directory") fs.mkdirSync(at("x"));
  else makePipe(at("x"));
  for (const act of [
    files.read("x", {}),
    files.planCreate("x", ""),
    files.planAppend("x", ""),
    files.planEdit("x", [{ oldText: "a", newText: "b" }]),
    files.planDelete("x"),
  ]) {
    const error = await refused(act);
    expect(error.kind).toBe("not-a-file");
    expect(error.message).toContain(what);
  }
});

test("reads a range, numbered from what was asked, with the facts of the file", async () => {
  const { files } = project({ "a.txt": "\ufeffone\r\ntwo\r\nthree" });
  expect(await files.read("a.txt", { offset: 2, limit: 1 })).toMatchObject({
    shown: "a.txt",
    lines: ["two"],
    first: 2,
    totalLines: 3,
    encoding: "utf-8-bom",
    eol: "crlf",
    cutLines: 0,
  });
  expect((await files.read("a.txt", { offset: 9 })).lines).toEqual([]);
});

test("large files are streamed to the same answer as small ones", async () => {
  const text = Array.from({ length: 5_000 }, (_, i) => `line ${i} äöü`).join("\r\n");
  const { files, root } = project({ "a.txt": text });
  const streaming = createFiles({ root, limits: { wholeBytes: 10 } });
  for (const range of [{}, { offset: 4_990 }, { offset: 17, limit: 3 }, { offset: 9_999 }]) {
    expect(await streaming.read("a.txt", range)).toEqual(await files.read("a.txt", range));
  }
});

test("a huge file is read only as far as asked, and is not thereby seen", async () => {
  const { files } = project({ "a.txt": "x\n".repeat(400_000) }, { limits: { wholeBytes: 10, hashBytes: 1_000 } });
  const read = await files.read("a.txt", { limit: 20 });
  expect(read).toMatchObject({ more: true, hash: "", bytes: 800_000 });
  expect(read.lines.length).toBe(20);
  expect(read.totalLines).toBeLessThan(200_000);
  expect((await refused(files.planEdit("a.txt", [{ oldText: "x", newText: "y" }]))).kind).toBe("size");
});

test.each([{}, { wholeBytes: 10 }])("an endless line is cut with its length (%j)", async (limits) => {
  const { files } = project({ "a.txt": `short\n${"ä".repeat(600_000)}\nlast\n` }, { limits });
  const { lines, cutLines } = await files.read("a.txt", {});
  expect([lines[0], lines[2], cutLines]).toEqual(["short", "last", 1]);
  expect(lines[1]).toMatch(/^ä{2000}… \[line of 1200000 bytes, cut\]$/);
});

test("binary files are named as such and cannot be edited", async () => {
  const { files } = project({ "a.png": Buffer.from([0x89, 0x50, 0, 1, 2]), "latin.txt": Buffer.from([0x63, 0xe9]) });
  for (const name of ["a.png", "latin.txt"]) {
    expect((await refused(files.read(name, {}))).kind).toBe("binary");
    expect((await refused(files.planAppend(name, "x"))).kind).toBe("binary");
  }
});
