import { applyPatch } from "diff";
import fc from "fast-check";
import { expect, test } from "vitest";
import { diffReplacements, diffTexts } from "./diff.js";

const lines = fc.array(fc.constantFrom("a", "b", "c", "", "{", "}", "return x;"), { maxLength: 30 });
const text = lines.map((all) => all.map((line) => `${line}\n`).join(""));

test("the diff of two texts turns one into the other", async () => {
  await fc.assert(
    fc.asyncProperty(text, text, fc.integer({ min: 0, max: 3 }), async (before, after, context) => {
      const diff = await diffTexts(before, after, context);
      expect(diff.text === "").toBe(before === after);
      expect(applyPatch(before, `--- a\n+++ b\n${diff.text}\n`)).toBe(after);
    }),
  );
});

test("the diff of known replacements does so too", async () => {
  await fc.assert(
    fc.asyncProperty(text, fc.array(fc.tuple(fc.nat(200), fc.nat(20), text), { maxLength: 4 }), async (before, raw) => {
      const changes: { start: number; end: number; text: string }[] = [];
      let at = 0;
      let after = "";
      for (const [gap, length, fresh] of raw) {
        const start = Math.min(before.length, at + gap);
        const end = Math.min(before.length, start + length);
        if (start < at || (changes.length > 0 && start === at)) continue;
        after += before.slice(at, start) + fresh;
        changes.push({ start, end, text: fresh });
        at = end;
      }
      after += before.slice(at);
      fc.pre(after === "" || after.endsWith("\n"));
      const diff = await diffReplacements(before, changes, 1);
      expect(applyPatch(before, `--- a\n+++ b\n${diff.text}\n`)).toBe(after);
    }),
  );
});

test("a replacement at the very start of a text that begins with an empty line", async () => {
  expect((await diffReplacements("\na\n", [{ start: 0, end: 1, text: "" }], 1)).text).toBe("@@ -1,2 +1 @@\n-\n a");
});

test("one line of context, no more lines than changed, counts", async () => {
  const before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
  const diff = await diffReplacements(before, [{ start: 8, end: 9, text: "five" }], 1);
  expect(diff).toEqual({ text: "@@ -4,3 +4,3 @@\n 4\n-5\n+five\n 6", added: 1, removed: 1 });
});

test("a large block shows only the lines that differ", async () => {
  const block = Array.from({ length: 40 }, (_, i) => `line ${i}`);
  const changed = block.map((line, i) => (i === 3 || i === 30 ? `${line}!` : line));
  const diff = await diffTexts(block.join("\n"), changed.join("\n"), 1);
  expect(diff).toMatchObject({ added: 2, removed: 2 });
  expect(diff.text.split("\n").length).toBe(10);
});

test("carriage returns are not shown", async () => {
  expect((await diffTexts("a\r\nb\r\n", "a\r\nc\r\n", 1)).text).toBe("@@ -1,2 +1,2 @@\n a\n-b\n+c");
});
