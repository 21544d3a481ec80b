import fs from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { faultyDisk } from "../../test/support/faulty-disk.js";
import { makePipe, makeTree, pathCases } from "../../test/support/path-cases.js";
import { tempDir } from "../../test/support/run.js";
import { ModelError, Refusal } from "../core/errors.js";
import type { Files } from "../core/ports.js";
import { sha256 } from "../lib/hash.js";
import { isTempName } from "../lib/temp-name.js";
import { createFiles, type FilesOptions } from "./door.js";
import { SeenFiles } from "./seen.js";

function project(content: Record<string, string | Buffer> = {}, options: Partial<FilesOptions> = {}) {
  const root = tempDir("cinch-files-");
  for (const [name, bytes] of Object.entries(content)) {
    fs.mkdirSync(join(root, name, ".."), { recursive: true });
    fs.writeFileSync(join(root, name), bytes);
  }
  const at = (name: string) => join(root, name);
  return {
    root,
    files: createFiles({ root, ...options }),
    at,
    text: (name: string) => fs.readFileSync(at(name), "utf8"),
  };
}

const create = async (files: Files, path: string, text: string) => files.commit(await files.planCreate(path, text));
const append = async (files: Files, path: string, text: string) => files.commit(await files.planAppend(path, text));
const edit = async (files: Files, path: string, oldText: string, newText: string) =>
  files.commit(await files.planEdit(path, [{ oldText, newText }]));

async function refused(act: Promise<unknown>): Promise<Refusal> {
  const error = await act.then(
    () => new Error("not refused"),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(Refusal);
  return error as Refusal;
}

// --- where ---

test.each(pathCases)("read and write, $id: $path", async (row) => {
  const tree = await makeTree(row);
  try {
    const files = createFiles({ root: tree.root });
    for (const act of [() => files.read(tree.path, {}), () => files.planCreate(tree.path, "new\n")]) {
      const error = await act().then(
        () => null,
        (thrown: unknown) => thrown,
      );
      if (error !== null) expect(error).toBeInstanceOf(ModelError);
      const kind = error instanceof Refusal ? error.kind : null;
      if (row.expect === "error") expect(kind).toBe("input");
      else if (row.expect === "error-type") expect(kind).toBe("not-a-file");
      else if (row.tolerate === "error") expect(error).not.toBeNull();
      else if (row.inside) expect(kind).not.toBe("outside");
      else expect(kind).toBe("outside");
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

// --- read ---

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

// --- create ---

test("creates with parent directories and every byte as given", async () => {
  const { files, text } = project();
  const content = '  print("a\\nb")\n// \\" ... \r\nno end';
  await create(files, "new dir/ä $(x) 'q'.txt", content);
  expect(text("new dir/ä $(x) 'q'.txt")).toBe(content);
});

test("identical content: nothing written, time kept", async () => {
  const { files, at } = project({ "a.txt": "same\n" });
  fs.utimesSync(at("a.txt"), 1_000, 1_000);
  const plan = await files.planCreate("a.txt", "same\n");
  expect(plan.before).toBe(plan.after);
  await files.commit(plan);
  expect(fs.statSync(at("a.txt")).mtimeMs).toBe(1_000_000);
});

test("other content: refused with the content, which may then be edited", async () => {
  const { files, text } = project({ "a.txt": "mine\n" });
  const error = await refused(files.planCreate("a.txt", "yours\n"));
  expect(error).toMatchObject({ kind: "exists", ways: ["edit", "append", "rewrite"] });
  expect(error.message).toContain("1:mine");
  expect(text("a.txt")).toBe("mine\n");
  await edit(files, "a.txt", "mine", "ours");
  expect((await refused(files.planCreate("a.txt", "x"))).message).not.toContain("1:ours");
});

test("of two creations planned at once one wins; what appeared meanwhile is not overwritten", async () => {
  const { files, text, at, root } = project();
  const plans = [await files.planCreate("a.txt", "first"), await files.planCreate("a.txt", "second")];
  const ends = await Promise.allSettled(plans.map((plan) => files.commit(plan)));
  expect(ends.map((end) => end.status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(["first", "second"]).toContain(text("a.txt"));
  const plan = await files.planCreate("b.txt", "ours");
  fs.writeFileSync(at("b.txt"), "theirs");
  expect((await refused(files.commit(plan))).kind).toBe("exists");
  expect(text("b.txt")).toBe("theirs");
  expect(fs.readdirSync(root).filter(isTempName)).toEqual([]);
});

test("half a character is refused, not written as another", async () => {
  const { files } = project();
  await expect(files.planCreate("a.txt", "\ud83d")).rejects.toThrow(/surrogate/);
});

// --- append ---

test("builds a file piece by piece and tells totals and tail", async () => {
  const { files, text } = project();
  for (const piece of ["// head\n", "f()\n", "g()\n"]) await append(files, "a.js", piece);
  expect(text("a.js")).toBe("// head\nf()\ng()\n");
  const plan = await files.planAppend("a.js", "h()\ni()\n", 16);
  expect(plan.stats).toMatchObject({
    linesAdded: 2,
    bytesAdded: 8,
    totalLines: 5,
    totalBytes: 24,
    tail: ["g()", "h()", "i()"],
  });
  expect(plan.diff).toBe("@@ -3,0 +4,2 @@\n+h()\n+i()");
});

test("a size other than expected is refused with the real one", async () => {
  const { files } = project({ "a.txt": "one\ntwo\n" });
  const error = await refused(files.planAppend("a.txt", "x", 3));
  expect(error.kind).toBe("size");
  expect(error.message).toContain("has 8 bytes, not 3");
  expect(error.message).toContain("one\ntwo");
  expect((await refused(files.planAppend("none.txt", "x", 3))).message).toContain("does not exist");
});

test("appends CRLF text to a file of LF lines with LF, and says so; where there is no line end, as it is", async () => {
  const { files, text } = project({ "lf.txt": "one\n", "none.txt": "one" });
  const plan = await files.planAppend("lf.txt", "two\r\nthree\r\n");
  expect(plan.stats.notes).toEqual(["line ends written as LF, like the rest of the file"]);
  await files.commit(plan);
  expect(text("lf.txt")).toBe("one\ntwo\nthree\n");
  await append(files, "none.txt", "\r\ntwo\r\n");
  expect(text("none.txt")).toBe("one\r\ntwo\r\n");
});

test("keeps CRLF, the mark and UTF-16, and says when a line was continued", async () => {
  const { files, at, text } = project({
    "crlf.txt": "\ufeffa\r\n",
    "wide.txt": Buffer.from("\ufeffa\n", "utf16le"),
    "open.txt": "half",
  });
  const plan = await files.planAppend("crlf.txt", "b\nc\n");
  expect(plan.stats.notes).toEqual([expect.stringContaining("CRLF")]);
  await files.commit(plan);
  expect(text("crlf.txt")).toBe("\ufeffa\r\nb\r\nc\r\n");
  await append(files, "wide.txt", "b\n");
  expect(fs.readFileSync(at("wide.txt"))).toEqual(Buffer.from("\ufeffa\nb\n", "utf16le"));
  const open = await files.planAppend("open.txt", " done\n");
  expect(open.stats.notes).toEqual([expect.stringContaining("did not end with a line end")]);
  expect(open.diff).toBe("@@ -1 +1 @@\n-half\n+half done");
});

// --- edit ---

test("unread: refused with the content, which thereby is seen", async () => {
  const { files, text } = project({ "a.txt": "one\n" });
  const error = await refused(files.planEdit("a.txt", [{ oldText: "one", newText: "two" }]));
  expect(error.kind).toBe("unread");
  expect(error.message).toContain("1:one");
  expect(text("a.txt")).toBe("one\n");
  await edit(files, "a.txt", "one", "two");
  expect(text("a.txt")).toBe("two\n");
});

test("unread and long: refused with the lines in question, which thereby are seen, and no others", async () => {
  const lines = Array.from({ length: 400 }, (_, i) => `line ${i + 1}`);
  const { files, text } = project({ "a.txt": `${lines.join("\n")}\n` });
  const error = await refused(files.planEdit("a.txt", [{ oldText: "line 300\n", newText: "300\n" }]));
  expect(error).toMatchObject({ kind: "unread", facts: { seen: [{ lines: [[290, 310]] }] } });
  expect(error.message).toContain("290:line 290\n291:line 291");
  expect(error.message).not.toContain("289:");
  await edit(files, "a.txt", "line 300\n", "three\nhundred\n");
  await edit(files, "a.txt", "line 310\n", "310\n");
  expect(text("a.txt")).toContain("three\nhundred\nline 301");
  expect((await refused(files.planEdit("a.txt", [{ oldText: "line 20\n", newText: "" }]))).kind).toBe("unread");
});

test("of a file read in part, the lines that were read can be edited, others are shown first", async () => {
  const lines = Array.from({ length: 400 }, (_, i) => `line ${i + 1}`);
  const { files, at, text } = project({ "a.txt": `${lines.join("\n")}\n` });
  await files.read("a.txt", { offset: 50, limit: 10 });
  await edit(files, "a.txt", "line 50\n", "fifty\n");
  await edit(files, "a.txt", "line 59\n", "line 59\nand more\n");
  await edit(files, "a.txt", "and more\n", "and less\n");
  const error = await refused(files.planEdit("a.txt", [{ oldText: "line 61\n", newText: "" }]));
  expect(error.message).toContain("62:line 61");
  fs.writeFileSync(at("a.txt"), text("a.txt").replace("line 399", "theirs"));
  expect((await refused(files.planEdit("a.txt", [{ oldText: "fifty", newText: "50" }]))).kind).toBe("stale");
  await edit(files, "a.txt", "fifty", "50");
});

test("nothing known, and the old text is not there: told to read", async () => {
  const { files } = project({ "a.txt": `${"line\n".repeat(201)}end\n` });
  const edits = [{ oldText: "nowhere", newText: "fin" }];
  expect(await refused(files.planEdit("a.txt", edits))).toMatchObject({ kind: "unread", ways: ["read"] });
});

test("changed since read: refused with the change; the second try succeeds", async () => {
  const lines = Array.from({ length: 300 }, (_, i) => `line ${i}\n`);
  const { files, at, text } = project({ "a.txt": lines.join("") });
  await files.read("a.txt", {});
  lines[150] = "changed\n";
  fs.writeFileSync(at("a.txt"), lines.join(""));
  const error = await refused(files.planEdit("a.txt", [{ oldText: "line 7\n", newText: "seven\n" }]));
  expect(error.kind).toBe("stale");
  expect(error.message).toContain("-line 150\n+changed");
  expect(error.message).not.toContain("line 7\n");
  await edit(files, "a.txt", "line 7\n", "seven\n");
  expect(text("a.txt")).toContain("seven\n");
});

test("a change with the same size and time is found", async () => {
  const { files, at } = project({ "a.txt": "aaa\n" });
  fs.utimesSync(at("a.txt"), 1_000, 1_000);
  await files.read("a.txt", {});
  fs.writeFileSync(at("a.txt"), "bbb\n");
  fs.utimesSync(at("a.txt"), 1_000, 1_000);
  expect((await refused(files.planEdit("a.txt", [{ oldText: "b", newText: "c" }]))).kind).toBe("stale");
});

test("own writes count as seen; what was seen survives a resume", async () => {
  const { files, root, text } = project();
  const changes = [
    await create(files, "a.txt", "one\n"),
    await edit(files, "a.txt", "one", "two"),
    await create(files, "b.txt", ""),
  ];
  changes.push(await files.commit(await files.planDelete("b.txt")));
  const seen = new SeenFiles();
  seen.restore(changes);
  const resumed = createFiles({ root, seen });
  await edit(resumed, "a.txt", "two", "three");
  expect(text("a.txt")).toBe("three\n");
  expect(seen.hash(join(root, "b.txt"))).toBeUndefined();
});

test("keeps line ends, mark, mode and a missing final line end; writes no byte more", async () => {
  const { files, at } = project({ "a.sh": "\ufeffone\r\ntwo\r\nthree" });
  fs.chmodSync(at("a.sh"), 0o4755);
  await files.read("a.sh", {});
  const plan = await files.planEdit("a.sh", [{ oldText: "one\ntwo", newText: "1\n2" }]);
  expect(plan.diff).toBe("@@ -1,3 +1,3 @@\n-one\n-two\n+1\n+2\n three");
  await files.commit(plan);
  expect(fs.readFileSync(at("a.sh"))).toEqual(Buffer.from("\ufeff1\r\n2\r\nthree"));
  expect(fs.statSync(at("a.sh")).mode & 0o7777).toBe(0o755);
});

test("a hard link is broken, said, and its other name keeps the old bytes", async () => {
  const { files, at, text } = project({ "a.txt": "one\n" });
  fs.linkSync(at("a.txt"), at("b.txt"));
  await files.read("a.txt", {});
  const plan = await files.planEdit("a.txt", [{ oldText: "one", newText: "two" }]);
  expect(plan.stats.notes).toEqual([expect.stringContaining("hard links")]);
  await files.commit(plan);
  expect([text("a.txt"), text("b.txt")]).toEqual(["two\n", "one\n"]);
});

test("of two edits planned at once exactly one wins", async () => {
  const { files, text } = project({ "a.txt": "one two\n" });
  await files.read("a.txt", {});
  const plans = [
    await files.planEdit("a.txt", [{ oldText: "one", newText: "1" }]),
    await files.planEdit("a.txt", [{ oldText: "two", newText: "2" }]),
  ];
  const ends = await Promise.allSettled(plans.map((plan) => files.commit(plan)));
  expect(ends.filter((end) => end.status === "fulfilled").length).toBe(1);
  expect(["1 two\n", "one 2\n"]).toContain(text("a.txt"));
});

// --- delete, plans, pre-images ---

test("deletes a file, also a binary one, and refuses when it changed", async () => {
  const { files, at, text } = project({ "a.bin": Buffer.from([0, 1]), "b.txt": "b" });
  await files.commit(await files.planDelete("a.bin"));
  expect(fs.existsSync(at("a.bin"))).toBe(false);
  const plan = await files.planDelete("b.txt");
  fs.writeFileSync(at("b.txt"), "new");
  expect((await refused(files.commit(plan))).kind).toBe("stale");
  expect(text("b.txt")).toBe("new");
  expect((await refused(files.planDelete("a.bin"))).kind).toBe("missing");
});

test("the digest tells different plans apart and is the same for the same plan", async () => {
  const { files } = project({ "a.txt": "a\n" });
  const digest = async (path: string, text: string) => (await files.planAppend(path, text)).digest;
  expect(await digest("a.txt", "x")).toBe(await digest("a.txt", "x"));
  const all = [
    await digest("a.txt", "x"),
    await digest("a.txt", "y"),
    await digest("b.txt", "x"),
    (await files.planDelete("a.txt")).digest,
  ];
  expect(new Set(all).size).toBe(4);
});

test("the bytes to be replaced are handed out before the change", async () => {
  const preImage = vi.fn((path: string) => (fs.existsSync(path) ? fs.readFileSync(path, "utf8") : null));
  const { files, at } = project({ "a.txt": "old\n" }, { preImage });
  fs.chmodSync(at("a.txt"), 0o640);
  await append(files, "a.txt", "more\n");
  await create(files, "b.txt", "");
  await files.commit(await files.planDelete("a.txt"));
  expect(preImage.mock.calls).toEqual([
    [at("a.txt"), Buffer.from("old\n"), 0o640, Buffer.from("old\nmore\n"), []],
    [at("b.txt"), null, null, Buffer.from(""), []],
    [at("a.txt"), Buffer.from("old\nmore\n"), 0o640, null, []],
  ]);
  expect(preImage.mock.results.map((result) => result.value)).toEqual(["old\n", null, "old\nmore\n"]);
});

// --- faults ---

const deeds: Record<string, (files: Files) => Promise<unknown>> = {
  create: (files) => create(files, "new.txt", "the new content\n"),
  append: (files) => append(files, "a.txt", "more content\n"),
  edit: (files) => edit(files, "a.txt", "one", "uno"),
  delete: async (files) => files.commit(await files.planDelete("a.txt")),
};

test.each(
  Object.keys(deeds).flatMap((deed) => [
    { deed, code: "ENOSPC", forever: false },
    { deed, code: "EIO", forever: true },
  ]),
)("$deed: $code at any call (for ever: $forever) leaves old or new, never half", async ({ deed, code, forever }) => {
  const act = deeds[deed] as (files: Files) => Promise<unknown>;
  const before = "one\ntwo\n";
  const after = {
    create: "the new content\n",
    append: `${before}more content\n`,
    edit: "uno\ntwo\n",
    delete: undefined,
  }[deed];
  const name = deed === "create" ? "new.txt" : "a.txt";
  let tried = 0;
  for (let at = 1, done = false; !done; at++) {
    const { root } = project({ "a.txt": before });
    const seen = new SeenFiles();
    seen.mark(join(root, "a.txt"), sha256(before));
    const calm = faultyDisk({ at: 0, code });
    createFiles({ root, disk: calm.disk });
    const { disk, failed } = faultyDisk({ at: at + calm.calls(), code, forever });
    const outcome = await act(createFiles({ root, disk, seen })).then(
      () => null,
      (error: unknown) => error,
    );
    const now = fs.existsSync(join(root, name)) ? fs.readFileSync(join(root, name), "utf8") : undefined;
    if (outcome === null) expect(now).toBe(after);
    else {
      expect(outcome).toBeInstanceOf(ModelError);
      expect(now).toBe(deed === "create" ? undefined : before);
      tried++;
    }
    if (!forever && failed() !== "unlinkSync") expect(fs.readdirSync(root).filter(isTempName)).toEqual([]);
    done = failed() === undefined;
  }
  expect(tried).toBeGreaterThan(8);
});

test("no permission: the reason, nothing changed, no temp file", async () => {
  const disk = {
    ...fs,
    openSync: (...args: Parameters<typeof fs.openSync>) =>
      String(args[0]).includes(".cinch-") ? deny() : fs.openSync(...args),
  };
  const { files, root } = project({ "a.txt": "a\n" }, { disk: disk as FilesOptions["disk"] & object });
  await expect(append(files, "a.txt", "b\n")).rejects.toThrow(
    "a.txt: permission denied (EACCES). Nothing was changed.",
  );
  expect(fs.readdirSync(root)).toEqual(["a.txt"]);
});

function deny(): never {
  throw Object.assign(new Error("EACCES"), { code: "EACCES" });
}
