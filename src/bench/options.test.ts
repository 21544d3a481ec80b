import { describe, expect, test } from "vitest";
import { parseOptions, planOf } from "./options.js";

const none = { json: undefined, quick: false, only: undefined, floor: "http" as const };

describe("arguments", () => {
  test.each([
    [[], none],
    [["--quick"], { ...none, quick: true }],
    [["--json"], { ...none, json: true }],
    [["--json", "out.json", "--quick"], { ...none, json: "out.json", quick: true }],
    [["--json", "--quick"], { ...none, json: true, quick: true }],
    [["--json=out=1.json", "--only=wall-300"], { ...none, json: "out=1.json", only: "wall-300" }],
    [["--only", "version"], { ...none, only: "version" }],
    [["--floor", "fetch"], { ...none, floor: "fetch" }],
  ])("%j", (args, expected) => {
    expect(parseOptions(args)).toEqual(expected);
  });

  test.each([
    [["--fast"]],
    [["out.json"]],
    [["--only"]],
    [["--quick=yes"]],
    [["--quick", "out.json"]],
    [["--floor", "tcp"]],
  ])("%j is refused with the usage", (args) => {
    expect(() => parseOptions(args)).toThrow(
      expect.objectContaining({ exit: 2, fix: expect.stringContaining("--only") }),
    );
  });
});

describe("plan", () => {
  test("one figure runs only what it needs", () => {
    expect(planOf({ ...none, only: "version" })).toMatchObject({ series: [], record: 0 });
    expect(planOf({ ...none, only: "memory-300" })).toMatchObject({ version: 0, series: [{ turns: 300 }], record: 0 });
    expect(planOf({ ...none, only: "resume" })).toMatchObject({ version: 0, series: [], resume: { turns: 1250 } });
    expect(planOf({ ...none, only: "version" }).resume).toBeNull();
    expect(planOf({ ...none, only: "lsp-overhead" })).toMatchObject({ series: [], definition: { files: 200 } });
    expect(planOf({ ...none, only: "version" }).definition).toBeNull();
    expect(planOf({ ...none, only: "prefix-breaks" })).toMatchObject({ version: 0, series: [], record: 300 });
  });

  test("an unknown figure is refused with the known ones", () => {
    const known = expect.stringMatching(/version.*first-request.*growth-1000.*prefix-breaks/);
    expect(() => planOf({ ...none, only: "speed" })).toThrow(expect.objectContaining({ exit: 2, fix: known }));
  });
});
