// The work of patterns in steps, not in time: whatever the pattern and the path, it stays below their product.

import fc from "fast-check";
import { expect, test } from "vitest";
import { longestPattern } from "./automaton.js";
import { gitignore, ignorePattern } from "./gitignore.js";
import { globMatcher } from "./glob.js";
import { overlap } from "./ownership.js";

const stars = "*a".repeat(200);
const hostile = [
  ["*a*a*a*a*a*a*b", "a".repeat(4_000)],
  [`${stars}b`, "a".repeat(4_000)],
  [`${"**/".repeat(200)}b`, "a/".repeat(2_000)],
  [`${"**/a/".repeat(100)}b`, "a/".repeat(2_000)],
  [`${"a**".repeat(200)}b`, "a".repeat(4_000)],
  [`${"{a,aa}".repeat(100)}b`, "a".repeat(4_000)],
  [`${"{".repeat(400)}a${"}".repeat(400)}`, "a".repeat(4_000)],
  [`${"{a,".repeat(200)}`, "{a,".repeat(1_000)],
  [`${"[a".repeat(400)}]`, "a".repeat(4_000)],
  [`${"[!a-]*".repeat(100)}`, "b".repeat(4_000)],
] as const;

const ceiling = (pattern: string, path: string) => 6 * (pattern.length + 2) * (path.length + 2);

test.each(hostile)("%.20s… ends as a glob", (pattern, path) => {
  const glob = globMatcher(`x/${pattern}`);
  glob(`x/${path}`);
  expect(glob.steps()).toBeLessThan(ceiling(pattern, path));
});

test.each(hostile)("%.20s… ends as a line of .gitignore", (pattern, path) => {
  const line = ignorePattern(`/${pattern}`, true);
  line?.matches(path, false);
  expect(line?.steps() ?? 0).toBeLessThan(ceiling(pattern, path));
});

test("any pattern on any path stays below the product of their lengths", () => {
  const piece = fc.constantFrom(
    "*",
    "**",
    "**/",
    "/**",
    "a",
    "b",
    "/",
    "?",
    "{",
    ",",
    "}",
    "[",
    "]",
    "[ab]",
    "[!a]",
    "\\",
    "-",
    "!",
    "😀",
  );
  const pattern = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(""));
  const path = fc.array(fc.constantFrom("a", "b", "/", "ab", "😀"), { maxLength: 80 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(pattern, path, (written, tested) => {
      const glob = globMatcher(written);
      glob(tested);
      const line = ignorePattern(written, false);
      line?.matches(tested, true);
      return Math.max(glob.steps(), line?.steps() ?? 0) < ceiling(written, tested);
    }),
    { numRuns: 5_000 },
  );
});

test("two owners are compared pair by pair", () => {
  expect(overlap(`${"**/".repeat(300)}a`, `${"**/".repeat(300)}b`)).toBe(false);
  expect(overlap(`${stars}b`, `${stars}c`)).toBe(false);
  expect(overlap("a/{b,c/d}.js", "a/c/d.js")).toBe(true);
});

test("a pattern that is too long is refused, and matches nothing in a .gitignore", () => {
  const long = "a".repeat(longestPattern + 1);
  expect(() => globMatcher(long)).toThrow(`${longestPattern} characters`);
  expect(gitignore(`${long}\nb`)(long).ignored).toBe(false);
});
