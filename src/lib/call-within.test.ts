// Work that ends, that throws, and that never would end.

import { expect, test } from "vitest";
import { callWithin } from "./call-within.js";

test("what ends in time gives its value, and what it throws is thrown", () => {
  expect(callWithin(10_000, () => ["made"])).toEqual({ value: ["made"] });
  expect(callWithin(10_000, () => undefined)).toEqual({ value: undefined });
  expect(() => callWithin(10_000, () => JSON.parse("{"))).toThrow(SyntaxError);
});

test.each([
  ["an expression that tries 2^60 ways", () => /^(a+)+$/.test(`${"a".repeat(60)}!`)],
  [
    "a loop",
    () => {
      for (;;);
    },
  ],
])("%s is stopped", (_, work) => {
  expect(callWithin<unknown>(50, work)).toBeUndefined();
});
