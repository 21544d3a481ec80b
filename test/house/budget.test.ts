// Budgets of size (DESIGN §7). An exception is a line in exceptions.json with its reason, and the list only shrinks:
// an exception that is no longer needed fails as well.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import exceptions from "./exceptions.json" with { type: "json" };
import { functionsOf, root, type Source, shipped, tests } from "./source.js";

const limits = { file: 500, function: 60, loop: 120, architecture: 300 };

const linesOf = (text: string) => text.trimEnd().split("\n").length;
const filesOver = (files: Source[], limit: number) =>
  files.filter(({ text }) => linesOf(text) > limit).map(({ path }) => path);
const functionsOver = (files: Source[]) =>
  files.flatMap((source) =>
    functionsOf(source)
      .filter(({ lines }) => lines > limits.function)
      .map(({ name }) => `${source.path}#${name}`),
  );

/** What somebody reads as a file: sources and tests alike. */
const read = () => [...shipped(), ...tests()];

test("the scanner saw the sources with their functions, and the tests", () => {
  expect(shipped().length).toBeGreaterThan(30);
  expect(tests().length).toBeGreaterThan(200);
  expect(shipped().flatMap(functionsOf).length).toBeGreaterThan(200);
});

test(`a file, of tests too, has at most ${limits.file} lines, or an exception with a reason`, () => {
  expect(filesOver(read(), limits.file).sort()).toEqual(Object.keys(exceptions.files).sort());
});

test(`a function has at most ${limits.function} lines, or an exception with a reason`, () => {
  expect(functionsOver(shipped()).sort()).toEqual(Object.keys(exceptions.functions).sort());
});

test("every exception has a reason", () => {
  const reasons = [exceptions.files, exceptions.functions, exceptions.names].flatMap((list) => Object.values(list));
  expect(reasons.filter((reason) => String(reason).split(" ").length < 4)).toEqual([]);
});

test(`the loop fits on one screen of ${limits.loop} lines`, () => {
  const loop = shipped().find(({ path }) => path === "agent/loop.ts");
  expect(linesOf(loop?.text ?? "\n".repeat(limits.loop + 1).concat("missing"))).toBeLessThanOrEqual(limits.loop);
});

test(`ARCHITECTURE.md has at most ${limits.architecture} lines`, () => {
  expect(linesOf(readFileSync(join(root, "ARCHITECTURE.md"), "utf8"))).toBeLessThanOrEqual(limits.architecture);
});

test("planted violations are found", () => {
  const body = "  work();\n".repeat(60);
  const long = {
    path: "lib/long.ts",
    text: `export const f = () => {\n${body}};\nclass C {\n  m() {\n${body}  }\n}\n`,
  };
  expect(functionsOver([long])).toEqual(["lib/long.ts#f", "lib/long.ts#m"]);
  expect(filesOver([long, { path: "lib/longer.ts", text: "x;\n".repeat(501) }], limits.file)).toEqual([
    "lib/longer.ts",
  ]);
});
