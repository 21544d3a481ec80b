import { expect, test } from "vitest";
import { quantile } from "./measured.js";
import { terminalFigures } from "./terminal-figures.js";

const costs = {
  ...{ finished: 40, pieces: 600, files: 50_000, kilobytes: 99, cleared: 0, cpu: 601, names: [10, 20, 90] },
  ready: [{ cinch: 100, floor: 50 }],
  echo: { cinch: [...Array<number>(99).fill(1), 17, 18], floor: [2, 3] },
};

test("p99 is the value that 99 of a hundred do not exceed", () => {
  const hundred = Array.from({ length: 100 }, (_, at) => 100 - at);
  expect([quantile(hundred, 0.99), quantile(hundred, 0.5), quantile([7], 0.99), quantile([], 0.99)]).toEqual([
    99,
    50,
    7,
    null,
  ]);
});

test("each is judged by its own goal; the floor's echo stands beside and judges nothing", () => {
  const figures = Object.fromEntries(terminalFigures(costs).map((each) => [each.name, each]));
  expect(figures["terminal-ready"]).toMatchObject({ ratio: 2, target: 3, reached: true });
  expect(figures["terminal-written"]).toMatchObject({ cinch: 99, reached: true });
  expect(figures["terminal-cleared"]).toMatchObject({ cinch: 0, reached: true });
  expect(figures["terminal-cpu"]).toMatchObject({ cinch: 601, reached: false });
  expect(figures["terminal-echo"]).toMatchObject({ cinch: 17, floor: 3, reached: false });
  expect(figures["terminal-files"]).toMatchObject({ cinch: 20, reached: true });
});

test("without a terminal nothing is judged", () => {
  const none = terminalFigures(null);
  expect(none.map(({ name }) => name)).toEqual(terminalFigures(costs).map(({ name }) => name));
  expect(none.every(({ cinch, reached }) => cinch === null && reached === null)).toBe(true);
});
