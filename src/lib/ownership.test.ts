import fc from "fast-check";
import { expect, test } from "vitest";
import { overlap, ownedBy } from "./ownership.js";

test.each([
  ["src/**", "src/a/b.ts", true],
  ["src/**", "lib/a.ts", false],
  ["*.html", "index.html", true],
  ["*.html", "server/index.html", false],
  ["./app.js", "app.js", true],
  ["**/*.css", "a/b/c.css", true],
  ["web/*.js", "web/deep/a.js", false],
])("%s owns %s: %s", (pattern, path, owned) => {
  expect(ownedBy([pattern])(path)).toBe(owned);
});

test.each([
  ["src/**", "src/a/**", true],
  ["src/**", "lib/**", false],
  ["server/**", "*.html", false],
  ["**/*.html", "server/**", true],
  ["a/*.js", "a/*.ts", false],
  ["a/*.js", "a/app.*", true],
  ["a/?.js", "a/bb.js", false],
  ["**", "anything/at/all", true],
  ["app.js", "/app.js", true],
  ["a/[xy].js", "a/x.js", true],
])("%s and %s overlap: %s", (one, other, both) => {
  expect(overlap(one, other)).toBe(both);
  expect(overlap(other, one)).toBe(both);
});

test("two globs that own one file overlap", () => {
  const name = fc.constantFrom("a", "b", "ab", "*", "a*", "*b", "?", "a?");
  const glob = fc
    .array(fc.oneof(name, fc.constant("**")), { minLength: 1, maxLength: 4 })
    .map((names) => names.join("/"));
  const path = fc
    .array(fc.constantFrom("a", "b", "ab", "aab", "bb"), { minLength: 1, maxLength: 4 })
    .map((names) => names.join("/"));
  let shared = 0;
  fc.assert(
    fc.property(glob, glob, path, (one, other, file) => {
      const both = ownedBy([one])(file) && ownedBy([other])(file);
      if (both) shared++;
      return !both || overlap(one, other);
    }),
    { numRuns: 5_000 },
  );
  expect(shared).toBeGreaterThan(50);
});
