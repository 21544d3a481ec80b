import { expect, test } from "vitest";
import { byLikeness, nearest } from "./nearest.js";

test("nearest is a slip of the fingers away, or nothing", () => {
  const words = ["model", "models", "max-turns", "trust"];
  expect(nearest("modle", words)).toBe("model");
  expect(nearest("Trust", words)).toBe("trust");
  expect(nearest("max-turn", words)).toBe("max-turns");
  expect(nearest("xyzzy", words)).toBeUndefined();
  expect(nearest("x", [])).toBeUndefined();
});

test("byLikeness keeps every word, the nearest first", () => {
  expect(byLikeness("jsn", ["text", "json", "events"])).toEqual(["json", "text", "events"]);
});
