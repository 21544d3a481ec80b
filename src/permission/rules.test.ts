import { expect, test } from "vitest";
import { bases, tools } from "../../test/support/permission.js";
import type { RuleList } from "../core/policy.js";
import { pathTest, patternOf } from "./path-patterns.js";
import { readProtection, readRule } from "./rules.js";

const rule = (text: string, list: RuleList = "allow") => readRule({ list, text, source: "test" }, tools, bases);
const covered = (text: string) => tools.filter((tool) => rule(text).covers(tool)).map(({ name }) => name);

test.each([
  ["Read", ["read_file", "list_files", "find_files", "search_text"]],
  ["Write", ["write_file", "append_file", "delete_file"]],
  ["Edit", ["write_file", "append_file", "edit_file", "delete_file"]],
  ["Bash", ["run_command"]],
  ["Grep", ["search_text"]],
  ["Glob", ["find_files"]],
  ["LS", ["list_files"]],
  ["edit_file", ["edit_file"]],
  ["mcp__files", []],
])("%s covers %j", (text, names) => {
  expect(covered(text)).toEqual(names);
});

test("a server covers its tools and no other server's", () => {
  const tool = (name: string) => ({ name, verb: "run", alias: null, effects: ["net"], family: "mcp" }) as const;
  expect(rule("mcp__a").covers(tool("mcp__a__t"))).toBe(true);
  expect(rule("mcp__a").covers(tool("mcp__ab__t"))).toBe(false);
  expect(rule("mcp__a__t").covers(tool("mcp__a__t"))).toBe(true);
  expect(rule("mcp__a__t").covers(tool("mcp__a__tt"))).toBe(false);
});

test.each([
  ["src/**", "/p/src/a.ts", true],
  ["src", "/p/src/deep/a.ts", true],
  ["*.md", "/p/docs/a.md", true],
  ["/a.md", "/p/docs/a.md", false],
  ["/a.md", "/p/a.md", true],
  ["//etc/hosts", "/etc/hosts", true],
  ["//etc/hosts", "/p/etc/hosts", false],
  ["~/notes/**", "/home/u/notes/a", true],
  ["~/notes/**", "/p/notes/a", false],
  ["src/**", "/p2/src/a.ts", false],
  ["./a", "/p/a", true],
  ["**", "/p/a", true],
  ["app/(group)/**", "/p/app/(group)/page.tsx", true],
  ["A.md", "/p/a.md", false],
])("Edit(%s) on %s: %s", (pattern, path, expected) => {
  expect(pathTest(pattern, bases, false)(path)).toBe(expected);
});

test("letter case never loosens: it counts for allow and for nothing else", () => {
  const tests = (list: RuleList) => {
    const { spec } = rule("Edit(SRC/**)", list);
    return spec.of === "path" && spec.test("/p/src/a");
  };
  expect([tests("allow"), tests("ask"), tests("deny")]).toEqual([false, true, true]);
  expect(readProtection({ list: "protect", text: "Deploy/", source: "" }, bases).test("/p/deploy/x")).toBe(true);
});

test("a path is written as the pattern that fits it and nothing else", () => {
  for (const path of ["/p/a", "/p/a*b[1]?", "/p/!x", "/p/#x", "/p/sp ", "/p/back\\slash", "/q/z"]) {
    const fits = pathTest(patternOf(path, "/p"), bases, false);
    expect([path, fits(path), fits(`${path}x`), fits("/p/axb1")]).toEqual([path, true, false, false]);
  }
});

test.each([
  ["", "Tool or Tool(what)"],
  ["Edit(", "Tool or Tool(what)"],
  ["Edit()", "nothing between"],
  ["Exec(x)", "there is no tool Exec"],
  ["bash(ls)", "there is no tool bash"],
  ["Bash(ls | wc)", "operator"],
  ["Edit(!src)", "cannot begin with !"],
  ["mcp__s__t(x)", "takes no brackets"],
  ["Edit(a) Edit(b)", "brackets do not match"],
])("%j is no rule", (text, why) => {
  expect(() => rule(text)).toThrow(why);
});
