import * as fc from "fast-check";
import { expect, test } from "vitest";
import { diffTexts } from "../lib/diff.js";
import { carried, covers, type Span, touched, union, within } from "./spans.js";

test("spans that meet become one", () => {
  const spans = union([[4, 6]], [[1, 2]], [[3, 3]], [[9, 8]], [[10, 12]], [[11, 11]]);
  expect(spans).toEqual([
    [1, 6],
    [10, 12],
  ]);
  expect([covers(spans, [2, 6]), covers(spans, [6, 7])]).toEqual([true, false]);
});

test("a change is within what was shown when every line it takes away is, and one line beside what it puts in", () => {
  const removal = "@@ -3,3 +3,2 @@\n c\n-d\n e";
  expect(touched(removal, 9)).toEqual([{ span: [4, 4], insertion: false }]);
  expect([within([[4, 4]], removal, 9), within([[1, 3]], removal, 9)]).toEqual([true, false]);
  const insertion = "@@ -3,2 +3,3 @@\n c\n+new\n d";
  expect([within([[3, 3]], insertion, 9), within([[4, 9]], insertion, 9), within([[5, 9]], insertion, 9)]).toEqual([
    true,
    true,
    false,
  ]);
  expect(within([[1, 5]], "@@ -9,0 +10 @@\n+end", 9)).toBe(false);
});

test("after any change the carried spans name exactly the lines that were shown and stayed, and the new ones", async () => {
  const line = fc.constantFrom("a", "b", "c", "d", "e");
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 12 }),
      fc.nat(12),
      fc.nat(4),
      fc.array(line, { maxLength: 4 }),
      fc.nat(12),
      fc.nat(6),
      async (before, at, gone, put, first, length) => {
        const after = [...before.slice(0, at), ...put, ...before.slice(at + gone)];
        const text = (lines: string[]) => lines.map((each) => `${each}\n`).join("");
        const { text: diff } = await diffTexts(text(before), text(after), 1);
        const shown: Span[] = first < before.length ? [[first + 1, Math.min(before.length, first + 1 + length)]] : [];
        const names = before.map((_, i) => (covers(shown, [i + 1, i + 1]) ? "seen" : "unseen"));
        const now = namesAfter(names, diff);
        const spans = carried(shown, diff);
        expect(now.map((_, i) => (covers(spans, [i + 1, i + 1]) ? "seen" : "unseen"))).toEqual(now);
      },
    ),
  );
});

/** The names of the lines after the hunks are applied; what is put in counts as seen. */
function namesAfter(names: string[], diff: string): string[] {
  const out: string[] = [];
  let old = 0;
  for (const line of diff === "" ? [] : diff.split("\n")) {
    const head = /^@@ -(\d+)(?:,(\d+))?/.exec(line);
    if (head) {
      const to = Number(head[1]) - (head[2] === "0" ? 0 : 1);
      while (old < to) out.push(names[old++] ?? "");
    } else if (line.startsWith("-")) old++;
    else if (line.startsWith("+")) out.push("seen");
    else out.push(names[old++] ?? "");
  }
  return [...out, ...names.slice(old)];
}
