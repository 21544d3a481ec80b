// New text through the door: files that are created, and text that is added to the end of one. Every byte lands as given or
// the plan says what is different; what is there already is never written over.

import fs from "node:fs";
import { expect, test } from "vitest";
import { append, create, edit, project } from "../../test/support/project-files.js";
import { refused } from "../../test/support/refusal.js";
import { isTempName } from "../lib/temp-name.js";

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
