// `below` against a count of every number, on sorted lists of any length with repetitions.
// That it halves is not measured.

import fc from "fast-check";
import { expect, test } from "vitest";
import { below } from "./sorted.js";

test("counts the numbers below a limit", () => {
  const sorted = fc.array(fc.integer({ min: -9, max: 9 })).map((list) => list.sort((a, b) => a - b));
  fc.assert(
    fc.property(sorted, fc.integer({ min: -10, max: 10 }), (list, limit) => {
      expect(below(list, limit)).toBe(list.filter((each) => each < limit).length);
      expect(below(Int32Array.from(list), limit)).toBe(below(list, limit));
    }),
  );
});
