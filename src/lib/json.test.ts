import { expect, test } from "vitest";
import { parseArguments } from "./json.js";

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
