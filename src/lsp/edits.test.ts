import { posix } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { revisionsOf } from "./edits.js";
import { SourceText } from "./text.js";

const uri = "file:///p/a.x";
const texts = (text: string) => ({
  encoding: "utf-16" as const,
  canonical: (path: string) => (path === "/p/link.x" ? "/p/a.x" : posix.normalize(path)),
  text: (path: string) => (path === "/p/a.x" ? new SourceText(text) : null),
  version: (path: string) => (path === "/p/a.x" ? 3 : undefined),
});
const at = (line: number, from: number, to: number, newText: string) => ({
  range: { start: { line, character: from }, end: { line, character: to } },
  newText,
});
const changed = (text: string, ...edits: object[]) => revisionsOf({ changes: { [uri]: edits } }, texts(text))[0]?.after;

test.each([
  ["out of order", "ab cd\n", [at(0, 3, 5, "CD"), at(0, 0, 2, "AB")], "AB CD\n"],
  ["side by side", "abcd\n", [at(0, 2, 4, "D"), at(0, 0, 2, "A")], "AD\n"],
  ["several insertions at one place, in their order", "x\n", [at(0, 0, 0, "1"), at(0, 0, 0, "2")], "12x\n"],
  ["an insertion in front of a replacement", "ab\n", [at(0, 0, 1, "A"), at(0, 0, 0, "+")], "+Ab\n"],
  ["new lines as the file has them", "a\r\nb\r\n", [at(1, 0, 1, "x\ny")], "a\r\nx\r\ny\r\n"],
  ["beyond the end of the line", "a\r\nb", [at(0, 1, 99, "!")], "a!\r\nb"],
  [
    "a whole file replaced",
    "a\nb\n",
    [{ range: { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } }, newText: "c\n" }],
    "c\n",
  ],
])("%s", (_, text, edits, after) => {
  expect(changed(text, ...edits)).toBe(after);
});

test("edits of separate places are one result, whatever the order they come in", () => {
  const words = fc.array(fc.constantFrom("a", "ü", "😀b", "long"), { minLength: 1, maxLength: 8 });
  const run = fc.property(
    words.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all.map((_, i) => i)))),
    ([all, chosen]) => {
      const text = `${all.join(" ")}\n`;
      const start = (i: number) => all.slice(0, i).join(" ").length + (i > 0 ? 1 : 0);
      const edits = chosen.map((i) => at(0, start(i), start(i) + (all[i]?.length ?? 0), `<${i}>`));
      const wanted = `${all.map((word, i) => (chosen.includes(i) ? `<${i}>` : word)).join(" ")}\n`;
      expect(changed(text, ...edits) ?? text).toBe(wanted);
    },
  );
  fc.assert(run);
});

test("an edit that changes nothing is no revision", () => {
  expect(revisionsOf({ changes: { [uri]: [at(0, 0, 1, "a")] } }, texts("a\n"))).toEqual([]);
  expect(revisionsOf({}, texts("a\n"))).toEqual([]);
});

test("both forms of an edit, several of one file put together", () => {
  const document = (version: number | null, ...edits: object[]) => ({ textDocument: { uri, version }, edits });
  const edit = { documentChanges: [document(3, at(0, 0, 1, "A")), document(null, at(0, 1, 2, "B"))] };
  expect(revisionsOf(edit, texts("ab\n"))).toEqual([{ path: "/p/a.x", before: "ab\n", after: "AB\n" }]);
});

describe("one file under several names", () => {
  const names = [uri, "file:///p//a.x", "file:///p/link.x"];
  const all = (edits: (name: string, order: number) => object[]) => ({
    changes: Object.fromEntries(names.map((name, order) => [name, edits(name, order)])),
  });

  test("is one revision with the edits of all, each of which counts once", () => {
    const insertion = at(0, 0, 0, "+");
    const edit = all((_, order) => [insertion, at(0, order, order + 1, "ABC"[order] ?? "")]);
    expect(revisionsOf(edit, texts("abc\n"))).toEqual([{ path: "/p/a.x", before: "abc\n", after: "+ABC\n" }]);
  });

  test("under one name what is said twice is meant twice", () => {
    const edit = { changes: { [names[1] ?? ""]: [at(0, 0, 0, "+"), at(0, 0, 0, "+")] } };
    expect(revisionsOf(edit, texts("a\n"))).toEqual([{ path: "/p/a.x", before: "a\n", after: "++a\n" }]);
  });

  test("is refused where they contradict each other, or one is of another version", () => {
    const edit = all((_, order) => [at(0, 0, 1, `${order}`)]);
    expect(() => revisionsOf(edit, texts("abc\n"))).toThrow(/Edits of \/p\/a\.x overlap/);
    const old = { documentChanges: [{ textDocument: { uri: names[2], version: 2 }, edits: [] }] };
    expect(() => revisionsOf(old, texts("abc\n"))).toThrow(/changed while/);
  });
});

describe("refused as a whole", () => {
  const document = { uri, version: 3 };
  test.each([
    ["overlapping edits", { changes: { [uri]: [at(0, 0, 2, "x"), at(0, 1, 3, "y")] } }, /Edits of \/p\/a\.x overlap/],
    ["another version", { documentChanges: [{ textDocument: { uri, version: 2 }, edits: [] }] }, /changed while/],
    ["a new file", { documentChanges: [{ kind: "create", uri: "file:///p/b.x" }] }, /would also create files/],
    [
      "a moved file beside an edit",
      { documentChanges: [{ textDocument: document, edits: [at(0, 0, 1, "x")] }, { kind: "rename" }] },
      /would also rename files/,
    ],
    ["what is no file", { changes: { "untitled:1": [at(0, 0, 1, "x")] } }, /untitled:1, which is no file/],
    ["a file that cannot be read", { changes: { "file:///p/c.x": [at(0, 0, 1, "x")] } }, /c\.x, which cannot be read/],
    ["an edit without a place", { changes: { [uri]: [{ newText: "x" }] } }, /has no place/],
    ["an edit without a text", { changes: { [uri]: [{ range: at(0, 0, 1, "").range }] } }, /has no place/],
  ])("%s", (_, edit, why) => {
    expect(() => revisionsOf(edit, texts("abcd\n"))).toThrow(why);
    expect(() => revisionsOf(edit, texts("abcd\n"))).toThrow(/Nothing was changed|not done here/);
  });
});
