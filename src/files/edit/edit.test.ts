import fc from "fast-check";
import { expect, test } from "vitest";
import { refusal } from "../../../test/support/refusal.js";
import { applyEdits } from "./edit.js";

const edit = (text: string, oldText: string, newText: string, replaceAll = false) =>
  applyEdits(text, [{ oldText, newText, replaceAll }], "f");

test("replaces the one occurrence and nothing else", () => {
  const part = fc.string({ unit: fc.constantFrom("a", "b", "\n", "\r\n", " "), maxLength: 12 });
  fc.assert(
    fc.property(part, part, fc.constantFrom("X", "X\nY"), (head, tail, fresh) => {
      const edited = edit(`${head}#${tail}`, "#", fresh);
      expect(edited.text.startsWith(head)).toBe(true);
      expect(edited.text.endsWith(tail)).toBe(true);
      expect(edited.text.slice(head.length, edited.text.length - tail.length).replaceAll("\r", "")).toBe(fresh);
    }),
  );
});

test("`$` patterns in the new text mean themselves", () => {
  expect(edit("a b", "a", "$& $1 $$").text).toBe("$& $1 $$ b");
});

test("an empty old text, and old equal to new, are named", () => {
  expect(refusal(() => edit("a", "", "b")).message).toMatch(/old text is empty/);
  expect(refusal(() => edit("a", "a", "a")).message).toMatch(/the same/);
  expect(refusal(() => applyEdits("a", [], "f")).kind).toBe("input");
});

test("several occurrences: count and lines; all of them on demand", () => {
  const error = refusal(() => edit("x\ny\nx x\n", "x", "z"));
  expect(error.kind).toBe("ambiguous");
  expect(error.message).toContain("3 times (lines 1, 3, 3)");
  expect(edit("x\ny\nx x\n", "x", "z", true)).toMatchObject({ text: "z\ny\nz z\n", replaced: 3 });
});

test("places that overlap are several; all of them means those that fit side by side", () => {
  const nested = "a {\n}\n}\n}\n";
  expect(refusal(() => edit(nested, "}\n}\n", "}\n")).message).toContain("2 times (lines 2, 3)");
  expect(edit("aaa aaaa\n", "aa", "b", true)).toMatchObject({ text: "ba bb\n", replaced: 3 });
});

test("several edits build on each other, and one that fails undoes all", () => {
  const edits = [
    { oldText: "a", newText: "b" },
    { oldText: "b", newText: "c" },
  ];
  expect(applyEdits("a", edits, "f")).toMatchObject({ text: "c", replaced: 2, changes: null });
  const error = refusal(() => applyEdits("a", [...edits, { oldText: "gone", newText: "x" }], "f"));
  expect(error.message).toContain("f was not changed: edit 3 of 3:");
});

test("an LF text finds its place in a CRLF file, and what is put in has CRLF", () => {
  const edited = edit("one\r\ntwo\r\nthree\r\n", "two\nthree", "2\n3");
  expect(edited.text).toBe("one\r\n2\r\n3\r\n");
  expect(edited.notes).toEqual([expect.stringContaining("line ends")]);
  expect(edit("one\r\ntwo\r\n", "two", "2\n2b")).toMatchObject({ text: "one\r\n2\r\n2b\r\n", notes: [] });
});

test("in a file with mixed line ends only the replaced range changes", () => {
  expect(edit("a\nb\r\nc\nd\r\n", "c\n", "C\nC2\n").text).toBe("a\nb\r\nC\nC2\nd\r\n");
  expect(edit("a\nb\r\nc\n", "b\n", "B\nB2\n").text).toBe("a\nB\r\nB2\r\nc\n");
});

test("texts that differ in line ends only are still two places", () => {
  expect(refusal(() => edit("x\ny\nx\r\ny\r\n", "x\ny", "z")).message).toContain("2 times (lines 1, 3)");
});

test("a CRLF text finds its place in an LF file", () => {
  expect(edit("a\nb\nc\n", "a\r\nb", "x")).toMatchObject({ text: "x\nc\n", notes: [expect.any(String)] });
});

test("a near miss is shown with its lines and differences", () => {
  const file = "function add(a, b) {\n  return a + b;\n}\n\nfunction sub(a, b) {\n  return a - b;\n}\n";
  const error = refusal(() => edit(file, "function sub(a, b) {\n  return a  - b\n}", "x"));
  expect(error.kind).toBe("no-match");
  expect(error.message).toContain("lines 5-7");
  expect(error.message).toContain("-  return a  - b\n+  return a - b;");
  expect(refusal(() => edit(file, " return a+b;", "x")).message).toContain("line 2, which differs only in white space");
  expect(refusal(() => edit("a\nlast line", "last line\n", "x")).message).toContain("last line end");
  expect(refusal(() => edit(file, "completely different zzz", "x")).message).toMatch(/not in the file\.$/);
});
