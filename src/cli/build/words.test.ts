import { expect, test } from "vitest";
import { UserError } from "../../core/errors.js";
import { slashBuildFlags } from "./flags.js";
import { readWanted } from "./words.js";

const names = ["formation", "yes", "no-verify", "no-review", "no-preview", "max-cost"];

function read(argument: string): [wanted: string, flags: Record<string, string>] {
  const { values, wanted } = readWanted(argument, slashBuildFlags);
  return [wanted, Object.fromEntries(names.filter((n) => values.has(n)).map((n) => [n, values.text(n) ?? ""]))];
}

test.each<[string, string, Record<string, string>]>([
  ["An app", "An app", {}],
  ["--yes An app", "An app", { yes: "" }],
  ["An app --yes", "An app", { yes: "" }],
  ["An app --yes --max-cost 2", "An app", { yes: "", "max-cost": "2" }],
  ["--formation single-file An app --no-verify", "An app", { formation: "single-file", "no-verify": "" }],
  ["--formation=single-file An app", "An app", { formation: "single-file" }],
  ["A tool with --json and a\n  list --yes", "A tool with --json and a\n  list", { yes: "" }],
  ["A tool that takes --yes or no", "A tool that takes --yes or no", {}],
  ["A tool with --json", "A tool with --json", {}],
  ["-- --yes is a flag", "--yes is a flag", {}],
  ['"An app"', "An app", {}],
  ['An "odd  one" here', 'An "odd  one" here', {}],
  ["--yes", "", { yes: "" }],
  ["", "", {}],
])("%j", (argument, wanted, flags) => {
  expect(read(argument)).toEqual([wanted, flags]);
});

test.each([
  ["--formtion x An app", "Did you mean --formation?"],
  ["An app --max-cost", "--max-cost needs a value"],
  ["An app --max-cost --yes", "--max-cost needs a value"],
  ["An app --max-cost none", "is not a number above 0"],
  ["--yes=1 An app", "--yes takes no value"],
  ["--permission-mode yolo An app", "is not a flag"],
])("%j is refused", (argument, why) => {
  expect(() => read(argument)).toThrow(UserError);
  expect(() => read(argument)).toThrow(why);
});
