import { expect, test } from "vitest";
import { maxDepth, maxValues, parseArguments, parseJson, readArguments } from "./json.js";

test.each([
  ["{}", {}],
  ['{"a": 1, "b": {"a": 2}, "c": [{"a": 3}, {"a": 4}]}', { a: 1, b: { a: 2 }, c: [{ a: 3 }, { a: 4 }] }],
  ['{"a": "b", "b": "a, \\"b\\": {", "c\\\\": "\\\\"}', { a: "b", b: 'a, "b": {', "c\\": "\\" }],
  ['{"a": ["b", "b", ["b"]], "b": "b"}', { a: ["b", "b", ["b"]], b: "b" }],
  ['{"a": 1, "a": 1}', undefined],
  ['{"a": 1, "\\u0061": 2}', undefined],
  ['{"x": [1, {"y": {"a": 1, "b": 2, "a": 3}}]}', undefined],
  ['{"a": {"b": 1}, "c": 1, "a": 2}', undefined],
  ["[]", undefined],
  ['"a"', undefined],
  ['{"a": 1', undefined],
])("%s", (text, value) => {
  expect(parseArguments(text)).toEqual(value);
});

const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

test("what is nested too deeply, or holds too much, is not taken, however it is written", () => {
  expect(parseJson(nested(maxDepth))).toBeDefined();
  for (const levels of [maxDepth + 1, 5_000, 1_000_000]) expect(parseJson(nested(levels))).toBeUndefined();
  const objects = `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`;
  expect(parseJson(objects)).toBeUndefined();
  expect(parseJson(`[1, ${" ".repeat(5_000)}${nested(600)}]`)).toBeUndefined();
  expect(parseJson(`[${"0,".repeat(maxValues)}0]`)).toBeUndefined();
  expect(parseJson(`[${"0,".repeat(1_000)}0]`)).toHaveLength(1_001);
});

test("arguments that are nested too deeply say so", () => {
  expect(readArguments(`{"a":${nested(5_000)}}`)).toEqual({ fault: expect.stringContaining("nested deeper than 400") });
  expect(readArguments(`{"a":${nested(300)}}`)).toEqual({ value: expect.anything() });
});
