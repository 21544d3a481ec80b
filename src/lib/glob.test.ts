import fc from "fast-check";
import { expect, test } from "vitest";
import { globMatcher } from "./glob.js";

test.each([
  ["*.ts", "a.ts", true],
  ["*.ts", "deep/er/a.ts", true],
  ["*.ts", "a.tsx", false],
  ["src/*.ts", "src/a.ts", true],
  ["src/*.ts", "src/x/a.ts", false],
  ["src/**/*.ts", "src/a.ts", true],
  ["src/**/*.ts", "src/x/y/a.ts", true],
  ["src/**", "src/x/y", true],
  ["src/**", "srcx/y", false],
  ["./src/*.ts", "src/a.ts", true],
  ["*.{ts,js}", "x/a.js", true],
  ["*.{ts,js}", "x/a.css", false],
  ["{a,b/{c,d}}.txt", "b/d.txt", true],
  ["a?c", "abc", true],
  ["a?c", "a/c", false],
  ["[ab].txt", "b.txt", true],
  ["[!ab].txt", "b.txt", false],
  ["a{b", "a{b", true],
  ["a,b", "a,b", true],
  ["a+(b).$", "a+(b).$", true],
])("%s matches %s: %s", (glob, path, expected) => {
  expect(globMatcher(glob)(path)).toBe(expected);
});

test("a name without special characters matches itself and nothing else", () => {
  const name = fc.stringMatching(/^[a-z0-9 .+^$()|-]{1,12}$/);
  fc.assert(fc.property(name, name, (a, b) => globMatcher(`x/${a}`)(`x/${b}`) === (a === b)));
});
