import { describe, expect, test } from "vitest";
import type { Diagnostic, Severity } from "../core/lsp.js";
import { newProblems, reportOf } from "./delta.js";

const problem = (message: string, severity: Severity = "error", line = 1): Diagnostic => ({
  ...{ message, severity, line, column: 1, code: "c" },
});
const [a, b] = [problem("a"), problem("b")];
const warning = problem("w", "warning");
const hint = problem("h", "hint");

describe("new is what was not said before", () => {
  test.each([
    ["nothing before", [], [a, warning], [a, warning]],
    ["the same", [a], [a], []],
    ["only moved", [problem("a", "error", 1)], [problem("a", "error", 9)], []],
    ["the same once more", [a], [a, problem("a", "error", 2)], [problem("a", "error", 2)]],
    ["one gone, one come", [a], [b], [b]],
    ["a warning that became an error", [problem("a", "warning")], [a], [a]],
    ["hints are never told", [], [hint], []],
    ["nobody knows what was before: errors alone", undefined, [a, warning], [a]],
  ] as const)("%s", (_, known, now, fresh) => {
    expect(newProblems(known, now)).toEqual(fresh);
  });
});

describe("the report", () => {
  const finding = (shown: string, fresh: readonly Diagnostic[], more = {}) => ({
    ...{ shown, server: "s", fresh, isCompared: true, wasPending: false },
    ...more,
  });

  test("of nothing is none", () => {
    expect(reportOf([finding("a.x", [])], [])).toBeNull();
  });

  test("counts by severity, names files, says what may be older and what is not known", () => {
    const findings = [finding("a.x", [a, warning]), finding("b.x", [b], { isCompared: false })];
    expect(reportOf([...findings, finding("c.x", [], { wasPending: true })], ["d.x"])).toBe(
      [
        "New problems after these changes: 2 errors, 1 warning.",
        "a.x (s)",
        "  1:1 error c: a",
        "  1:1 warning c: w",
        "b.x (s, some may be older)",
        "  1:1 error c: b",
        "Nothing new in c.x.",
        "Not known yet (pending), told when it is: d.x.",
      ].join("\n"),
    );
  });

  test("is cut by problems, files and length, with the rest counted", () => {
    const many = Array.from({ length: 14 }, (_, i) => problem(`m${i}`));
    const files = Array.from({ length: 15 }, (_, i) => finding(`f${i}`, i === 0 ? many : [problem("x".repeat(900))]));
    const said = reportOf(files, []) ?? "";
    expect(said).toContain("\n  and 4 more\n");
    expect(said).toMatch(/\nand in 3 more files$/);
    expect(said).toContain(`${"x".repeat(300)}…\n`);
    expect(said.length).toBeLessThan(6_000);
  });
});
