import fc from "fast-check";
import { expect, test } from "vitest";
import { grouped } from "./grouped.js";

test("is what the language's own rules make of a whole number", () => {
  const run = fc.property(fc.maxSafeNat(), (n) => {
    expect(grouped(n)).toBe(n.toLocaleString("en-US"));
  });
  fc.assert(run);
});
