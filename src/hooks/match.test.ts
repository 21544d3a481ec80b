// Matchers, as other agents read them.

import { expect, test } from "vitest";
import { fits } from "./match.js";

test.each([
  ["", "Write", true],
  ["Write", "Write", true],
  ["Write", "NotebookWrite", false],
  ["write", "Write", false],
  ["Edit|Write", "Write", true],
  ["Edit|Write", "Writer", false],
  ["Notebook.*", "NotebookEdit", true],
  ["mcp__.*__read", "mcp__files__read", true],
  ["mcp__files", "mcp__files__read", false],
  ["^Bash$", "Bash", true],
  ["^Bash$", "BashOutput", false],
])("%j and %j: %j", (matcher, name, expected) => expect(fits(matcher, [name])).toBe(expected));

test("one of several names is enough; an event about nothing fits every matcher", () => {
  expect([fits("write_file", ["Write", "write_file"]), fits("x", [])]).toEqual([true, true]);
});

test.each(["^(a+)+$", "^(a|aa)*$", "^(.*a){12}$", "a*a*a*a*a*a*a*a*b"])("%s ends on every name", (matcher) => {
  expect(fits(matcher, [`${"a".repeat(50_000)}!`])).toBe(false);
});
