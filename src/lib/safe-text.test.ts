import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { safeLine, safeText } from "./safe-text.js";

describe("safeText", () => {
  test.each([
    ["plain text, tab\tand\nline feed", "plain text, tab\tand\nline feed"],
    ["\x1b[31mred\x1b[0m", "red"],
    ["\x1b]0;title\x07after", "after"],
    ["\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"],
    ["\x1bP1;2|data\x1b\\after", "after"],
    ["\x9b31mred", "red"],
    ["\x1bcreset", "reset"],
    ["a\rb", "ab"],
    ["a\r\nb", "a\nb"],
    ["bell\x07 back\x08 nul\x00 del\x7f next\x85", "bell back nul del next"],
    ["\x1b]52;c;cGFzdGU= and more", "52;c;cGFzdGU= and more"],
    ["\x1b", ""],
    ["a\u202eb", "a\\u{202e}b"],
    ["zero\u200bwidth\u2060\ufeff", "zero\\u{200b}width\\u{2060}\\u{feff}"],
    ["tag\u{e0041}", "tag\\u{e0041}"],
    ["soft\u00adhyphen", "soft\\u{ad}hyphen"],
    ["ä ß 漢字 العربية 🙂", "ä ß 漢字 العربية 🙂"],
    ["👩\u200d💻 and 👩🏽\u200d🚀", "👩\u200d💻 and 👩🏽\u200d🚀"],
    ["a\u200db", "a\\u{200d}b"],
    ["lone \ud800 half", "lone \\u{d800} half"],
  ])("%j", (text, safe) => {
    expect(safeText(text)).toBe(safe);
  });

  test("nothing is left that a terminal would act on, and twice is once", () => {
    const nasty = fc.constantFrom(
      "\x1b",
      "[",
      "]",
      "P",
      "\\",
      "\x07",
      "\x9b",
      "\x9c",
      "0",
      ";",
      "m",
      "a",
      "\n",
      "\r",
      "\u202e",
      "\u200d",
      "🙂",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(nasty).map((parts) => parts.join("")),
          fc.string({ unit: "binary" }),
        ),
        (text) => {
          const safe = safeText(text);
          expect(safe).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
          expect(safeText(safe)).toBe(safe);
        },
      ),
    );
  });
});

test("safeLine is one line of at most the width", () => {
  expect(safeLine("a\n  b\tc", 80)).toBe("a b c");
  expect(safeLine("x".repeat(20), 10)).toBe(`${"x".repeat(9)}…`);
});
