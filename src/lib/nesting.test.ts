import { expect, test } from "vitest";
import { isDeeplyNested, safeNesting } from "./nesting.js";

test.each([
  ["[".repeat(safeNesting), false],
  ["[".repeat(safeNesting + 1), true],
  ['{"a":'.repeat(5_000), true],
  ["[{".repeat(5_000) + "}]".repeat(5_000), true],
  ["- ".repeat(5_000), true],
  ["? ".repeat(5_000), true],
  ["[]".repeat(5_000), false],
  ["- a\n".repeat(5_000), false],
  ["a - b ".repeat(50), false],
  ["}".repeat(5_000), false],
])("%.20s…: %s", (text, isDeep) => {
  expect(isDeeplyNested(text)).toBe(isDeep);
});
