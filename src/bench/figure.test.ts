import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { figureOf, figuresOf, median, type Run } from "./figure.js";

const label = { name: "wall", title: "wall", unit: "ms" } as const;
const run = (program: "cinch" | "floor", pair: number, more: Partial<Run>): Run => ({
  ...{ series: "4", program, pair, turns: 4, first: 50, gaps: [1, 1, 1, 1], cpu: 4, rss: 2048, firstBytes: 400 },
  lastBytes: 800,
  ...more,
});
const named = (figures: ReturnType<typeof figuresOf>, name: string) => figures.find((figure) => figure.name === name);

describe("median", () => {
  test.each([
    [[], null],
    [[3], 3],
    [[9, 1, 5], 5],
    [[4, 1, 3, 2], 2.5],
  ])("of %j is %j", (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  test("half of the values are not above it, half not below", () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1 }), (values) => {
        const middle = median(values) ?? Number.NaN;
        expect(values.filter((value) => value <= middle).length).toBeGreaterThanOrEqual(values.length / 2);
        expect(values.filter((value) => value >= middle).length).toBeGreaterThanOrEqual(values.length / 2);
      }),
    );
  });
});

describe("a figure", () => {
  test("is the median of the ratios of pairs, not the ratio of medians", () => {
    const pairs = [
      { cinch: 2, floor: 1 },
      { cinch: 30, floor: 10 },
      { cinch: 40, floor: 20 },
    ];
    expect(figureOf(label, pairs)).toMatchObject({ cinch: 30, floor: 10, ratio: 2, spread: [2, 3], pairs: 3 });
  });

  test("is reached at its target and missed above it", () => {
    const judged = (cinch: number) => figureOf({ ...label, target: 2 }, [{ cinch, floor: 1 }]).reached;
    expect([judged(2), judged(2.01)]).toEqual([true, false]);
  });

  test("can be judged by our own column", () => {
    const figure = figureOf({ ...label, target: 1400, of: "cinch" }, [{ cinch: 1300, floor: 200 }]);
    expect(figure).toMatchObject({ ratio: 6.5, reached: true });
  });

  test("without a measurement is neither reached nor missed", () => {
    const figure = figureOf({ ...label, target: 2 }, [{ cinch: 1, floor: null }]);
    expect(figure).toMatchObject({ cinch: null, ratio: null, pairs: 0, reached: null });
  });
});

describe("figures of runs", () => {
  test("pairs are matched by number, whatever the order", () => {
    const runs = [
      run("floor", 1, { gaps: [2, 2, 2, 2] }),
      run("cinch", 0, { gaps: [3, 3, 3, 3] }),
      run("floor", 0, {}),
      run("cinch", 1, { gaps: [2, 2, 2, 2] }),
    ];
    const figures = figuresOf({ version: [], runs }, [{ name: "4", turns: 4, pairs: 2 }]);
    expect(named(figures, "wall-4")).toMatchObject({ cinch: 2.5, floor: 1.5, ratio: 2, spread: [1, 3] });
    expect(named(figures, "cpu-4")).toMatchObject({ cinch: 1, floor: 1 });
  });

  test("growth compares the last hundred turns with the first", () => {
    const gaps = (last: number) =>
      [...Array(100).fill(1), ...Array(800).fill(50), ...Array(100).fill(last)] as number[];
    const more = { series: "1000", turns: 1000 };
    const runs = [run("cinch", 0, { ...more, gaps: gaps(3) }), run("floor", 0, { ...more, gaps: gaps(2) })];
    const figures = figuresOf({ version: [], runs }, [{ name: "1000", turns: 1000, pairs: 1 }]);
    expect(named(figures, "growth-1000")).toMatchObject({ cinch: 3, floor: 2, target: 2.5, reached: false });
  });

  test("the first definition: the ratio of pairs, and the median of what comes on top", () => {
    const definitions = [
      { cinch: 110, floor: 100 },
      { cinch: 300, floor: 200 },
      { cinch: 260, floor: 200 },
    ];
    const figures = figuresOf({ version: [], runs: [], definitions }, []);
    expect(named(figures, "lsp-definition")).toMatchObject({ ratio: 1.3, target: 1.2, reached: false, pairs: 3 });
    expect(named(figures, "lsp-overhead")).toMatchObject({ cinch: 60, floor: null, target: 50, reached: false });
    expect(figuresOf({ version: [], runs: [] }, [])).toEqual([]);
  });

  test("every target of the project is judged in a full run", () => {
    const series = [1, 50, 300, 1000].map((turns) => ({ name: String(turns), turns, pairs: 1 }));
    const cost = { explicit: 1, automatic: 1, breaks: 0, requests: 301 };
    const figures = figuresOf(
      { version: [{ cinch: 1, floor: 1 }], runs: [], cost: { cinch: cost, floor: cost } },
      series,
    );
    const targets = figures.filter(({ target }) => target !== null).map(({ name, target }) => `${name} ${target}`);
    expect(targets).toEqual([
      ...["version 1.3", "first-request 2.5", "memory-1 1.4", "first-tokens 1400", "wall-300 2", "memory-300 1.5"],
      ...["growth-1000 2.5", "effective-explicit 1.12", "effective-automatic 1.12", "prefix-breaks 0"],
    ]);
  });
});
