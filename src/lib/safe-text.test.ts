import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { drawnLine, safeJson, safeLine, safeText, TerminalFilter } from "./safe-text.js";

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
    ["grapheme\u034fjoiner", "grapheme\\u{34f}joiner"],
    ["fillers\u3164\uffa0\u115f\u1160", "fillers\\u{3164}\\u{ffa0}\\u{115f}\\u{1160}"],
    ["note\u{1d173} and \u{e0fff}", "note\\u{1d173} and \\u{e0fff}"],
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

const ground = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "\x1b[31m",
        "\x1b]0;title\x07",
        "\x1b]8;;http://x\x1b\\",
        "\x1bP1$r",
        "\x9b2J",
        "\x9d52;c;YQ==\x9c",
        "\x1b",
        "\x1b[",
        "\r\n",
        "\u202e",
        "\u{e0041}",
        "\u200d",
        "👩\u200d👩",
        "👩",
        "\ud83d",
        "\x07",
        "text",
      ),
      fc.string({ unit: "binary", maxLength: 6 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

test("property 6: what comes out holds nothing that a terminal acts on or hides, and is not changed again", () => {
  fc.assert(
    fc.property(ground, (text) => {
      const safe = safeText(text);
      expect(safe).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b]|\udb40[\udc00-\udc7f]/);
      expect(safeText(safe)).toBe(safe);
    }),
    { numRuns: 3000 },
  );
});

test("property 7: text in pieces gives what the whole gives (SECURITY 164)", () => {
  fc.assert(
    fc.property(ground, fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 5 }), (text, sizes) => {
      const filter = new TerminalFilter();
      let out = "";
      for (let at = 0, i = 0; at < text.length; i++) {
        const size = sizes[i % sizes.length] ?? 1;
        out += filter.push(text.slice(at, at + size));
        at += size;
      }
      expect(out + filter.end()).toBe(safeText(text));
    }),
    { numRuns: 3000 },
  );
});

test("JSON is exact, and a terminal that shows it neither acts on it nor hides anything", () => {
  fc.assert(
    fc.property(ground, (text) => {
      const json = safeJson({ text }, 0);
      expect(JSON.parse(json)).toEqual({ text });
      expect(safeText(json)).toBe(json);
    }),
  );
});

test("the only sequences Cinch writes draw over one line", () => {
  expect(drawnLine(safeText("a\x1b[2Jb"), true)).toBe("\r\x1b[2K\x1b[2mab\x1b[22m");
  expect(drawnLine(safeText(""), true)).toBe("\r\x1b[2K");
});
