import { expect, test } from "vitest";
import { figureOf } from "./figure.js";
import { tableOf, verdictOf } from "./table.js";

const wall = figureOf({ name: "wall-300", title: "wall", unit: "ms", target: 2 }, [
  { cinch: 3, floor: 2 },
  { cinch: 5, floor: 2 },
]);
const memory = figureOf({ name: "memory-1", title: "memory", unit: "MB", target: 1.4 }, [{ cinch: 60, floor: 40 }]);
const cpu = figureOf({ name: "cpu-50", title: "CPU", unit: "ms" }, [{ cinch: null, floor: null }]);

test("a line says the values, the ratio, its spread, the target and whether it is reached", () => {
  const lines = tableOf([wall, memory, cpu]).split("\n").slice(2);
  expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
    ["wall", "4.00 ms", "2.00 ms", "2.00×", "1.50–2.50", "≤ 2.00×", "reached"],
    ["memory", "60.0 MB", "40.0 MB", "1.50×", "≤ 1.40×", "missed"],
    ["CPU", "not here", "not here"],
  ]);
});

test("the verdict names what was missed", () => {
  expect(verdictOf([wall, memory, cpu])).toBe("1 of 2 targets reached; missed: memory-1.");
  expect(verdictOf([wall])).toBe("The target was reached.");
  expect(verdictOf([wall, wall])).toBe("All 2 targets reached.");
  expect(verdictOf([cpu])).toBe("No figure with a target was measured.");
});
