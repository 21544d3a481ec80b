import fc from "fast-check";
import { expect, test } from "vitest";
import { occurrencesOf } from "./occurrences.js";

function byLooking(text: string, wanted: string): number[] {
  return [...text].map((_, at) => at).filter((at) => text.startsWith(wanted, at));
}

test("finds what looking at every position finds, overlapping places too", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 60 });
  const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 300 });
  fc.assert(
    fc.property(text, word, (a, b) => {
      expect(occurrencesOf(a, b)).toEqual(byLooking(a, b));
    }),
  );
  for (const length of [10, 32, 33, 50]) {
    const wanted = "ab".repeat(length / 2);
    expect(occurrencesOf("ab".repeat(60), wanted)).toEqual(byLooking("ab".repeat(60), wanted));
  }
});

test("a long text that repeats itself is found everywhere", () => {
  expect(occurrencesOf("a".repeat(1_000_000), "a".repeat(100_000))).toHaveLength(900_001);
});
