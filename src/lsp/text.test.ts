import fc from "fast-check";
import { expect, test } from "vitest";
import { encodings, placesOf, SourceText } from "./text.js";

const line = fc.string({ unit: fc.constantFrom("a", "_", " ", "ü", "€", "😀", "𝒳", "\t"), maxLength: 12 });
const text = fc
  .array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "\r")), { maxLength: 6 })
  .chain((lines) => line.map((last) => lines.map(([content, eol]) => content + eol).join("") + last));

test("every place goes out and comes back the same, in every encoding", () => {
  const run = fc.property(text, fc.constantFrom(...encodings), (content, encoding) => {
    const source = new SourceText(content);
    for (let line = 1; line <= source.lineCount; line++) {
      const { length } = [...source.line(line)];
      for (let column = 1; column <= length + 1; column++)
        expect(source.fromServer(source.toServer({ line, column }, encoding), encoding)).toEqual({ line, column });
    }
  });
  fc.assert(run);
});

test("an offset never splits a character, whatever the server says, and grows with the position", () => {
  const wild = fc.integer({ min: -3, max: 40 });
  const place = fc.record({ line: wild, character: wild });
  const run = fc.property(text, place, place, fc.constantFrom(...encodings), (content, one, other, encoding) => {
    const source = new SourceText(content);
    const offsets = [one, other].map((each) => source.offset(each, encoding));
    for (const offset of offsets) {
      expect(offset).toBeGreaterThanOrEqual(0);
      expect(offset).toBeLessThanOrEqual(content.length);
      expect(content.slice(0, offset)).not.toMatch(/[\ud800-\udbff]$/);
    }
    const isAhead = one.line < other.line || (one.line === other.line && one.character < other.character);
    if (isAhead && one.line >= 0) expect(offsets[0]).toBeLessThanOrEqual(offsets[1] ?? 0);
  });
  fc.assert(run);
});

test.each([
  ["utf-8", 7],
  ["utf-16", 4],
  ["utf-32", 3],
] as const)("%s counts its own units", (encoding, character) => {
  const source = new SourceText("aü😀b\n");
  expect(source.toServer({ line: 1, column: 4 }, encoding)).toEqual({ line: 0, character });
  expect(source.whole(encoding)).toEqual({ start: { line: 0, character: 0 }, end: { line: 1, character: 0 } });
});

test.each([
  ["beyond the end of a line", { line: 0, character: 99 }, 2],
  ["beyond the last line", { line: 9, character: 0 }, 6],
  ["before everything", { line: -1, character: -1 }, 0],
  ["the second line", { line: 1, character: 1 }, 5],
] as const)("%s: the nearest place inside", (_, position, offset) => {
  expect(new SourceText("ab\r\ncd").offset(position, "utf-16")).toBe(offset);
});

test.each([
  ["a\nb\n", "\n"],
  ["a\r\nb\r\n", "\r\n"],
  ["a\r\nb\nc\n", "\n"],
  ["a", "\n"],
])("the line end of %j", (content, eol) => {
  expect(new SourceText(content).eol).toBe(eol);
});

test("a name is found as a whole word only, and at its column in characters", () => {
  const source = new SourceText("name rename names name_ $name\n😀 name(ame)\nnäme.name");
  expect(placesOf("name", source)).toEqual([
    { line: 1, column: 1 },
    { line: 2, column: 3 },
    { line: 3, column: 6 },
  ]);
  expect(placesOf("+", new SourceText("a+b"))).toEqual([{ line: 1, column: 2 }]);
});
