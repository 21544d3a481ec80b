// Edits through the door: only what the model has seen as it is now can be edited, and what it did not touch keeps every
// byte. How a place is found in a text is edit.test.

import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { create, edit, project } from "../../test/support/project-files.js";
import { refused } from "../../test/support/refusal.js";
import { createFiles } from "./door.js";
import { SeenFiles } from "./seen.js";

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
