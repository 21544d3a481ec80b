import fc from "fast-check";
import { expect, test } from "vitest";
import { countLines, decode, encode, eolOf, lastLines, linesOf, toCrlf } from "./text.js";

test("what decodes, encodes to the same bytes", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 40 }),
      fc.constantFrom([], [0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xfe, 0xff]),
      (raw, mark) => {
        const bytes = Buffer.from([...mark, ...raw]);
        const text = decode(bytes);
        if (text) expect(encode(text.text, text.encoding)).toEqual(bytes);
      },
    ),
    { numRuns: 500 },
  );
});

test.each([
  ["PNG", [0x89, 0x50, 0x4e, 0x47, 0, 1]],
  ["Latin-1", [0x63, 0x61, 0x66, 0xe9]],
  ["NUL in text", [0x61, 0, 0x62]],
  ["UTF-16 with half a unit", [0xff, 0xfe, 0x61]],
])("%s is binary", (_, bytes) => {
  expect(decode(Buffer.from(bytes))).toBeNull();
});

test("encodings by their marks", () => {
  expect(decode(Buffer.from("\ufeffä"))).toEqual({ text: "ä", encoding: "utf-8-bom" });
  expect(decode(Buffer.from("\ufeffä", "utf16le"))).toEqual({ text: "ä", encoding: "utf-16le" });
  expect(decode(Buffer.from("\ufeffä", "utf16le").swap16())).toEqual({ text: "ä", encoding: "utf-16be" });
  expect(encode("ä", "utf-16be", false)).toEqual(Buffer.from([0, 0xe4]));
});

test("line ends, lines and tails", () => {
  expect(["a\nb", "a\r\nb\r\n", "a\r\nb\n", ""].map(eolOf)).toEqual(["lf", "crlf", "mixed", "lf"]);
  expect(toCrlf("a\nb\r\n")).toBe("a\r\nb\r\n");
  const text = fc.array(fc.constantFrom("a", "\n", "\r\n", "b"), { maxLength: 12 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 4 }), (t, n) => {
      expect(countLines(t)).toBe(linesOf(t).length);
      expect(lastLines(t, n)).toEqual(linesOf(t).slice(-n));
    }),
    { numRuns: 500 },
  );
});
