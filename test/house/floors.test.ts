// Imports go down (DESIGN §2). The scanner is our own and is tested here on planted violations, because a popular
// checker was measured to scan nothing and report success.

import { expect, test } from "vitest";
import { complaint, cycles, floorOf } from "./floors.js";
import { importsOf, type Source, sources } from "./source.js";

const complaints = (files: Source[]) =>
  files.flatMap((source) =>
    importsOf(source).flatMap((found) => {
      const text = complaint(source.path, found);
      return text ? [`src/${source.path}:${found.line} ${text}`] : [];
    }),
  );

test("the scanner saw the sources and their imports", () => {
  expect(sources().length).toBeGreaterThan(40);
  expect(sources().flatMap(importsOf).length).toBeGreaterThan(150);
  expect(sources().filter(({ path }) => floorOf(path) === undefined)).toEqual([]);
});

test("imports only go down", () => {
  expect(complaints(sources())).toEqual([]);
});

test("no cycles among values", () => {
  expect(cycles(sources(), importsOf)).toEqual([]);
});

test.each([
  ["core/a.ts", 'import { b } from "../lib/b.js";', "may only go down"],
  ["core/a.ts", 'import type { B } from "../agent/b.js";', "may only go down"],
  ["models/a.ts", 'export * from "../prompt/b.js";', "a sibling"],
  ["models/a.ts", 'export type { B } from "../config/b.js";', "a sibling"],
  ["agent/a.ts", 'const b = () => import("../harness/b.js");', "may only go down"],
  ["agent/a.ts", 'let b: import("../cli/b.js").B;', "may only go down"],
  ["agent/a.ts", 'const b = require("../cli/b.js");', "may only go down"],
  ["agent/a.ts", 'import b = require("../cli/b.js");', "may only go down"],
  ["tools/a.ts", 'import { b } from "../files/b.js";', "may not reach"],
  ["harness/a.ts", 'import { readFileSync } from "node:fs";', "only in lib/ and files/"],
  ["harness/a.ts", 'import { readFile } from "fs/promises";', "only in lib/ and files/"],
  ["lib/a.ts", 'import { spawn } from "node:child_process";', "only in lib/process.ts"],
  ["attic/a.ts", 'import { b } from "../lib/b.js";', "has no floor"],
  ["lib/a.ts", 'import { b } from "../../scripts/b.mjs";', "outside src/"],
])("a planted violation is found: %s %s", (path, text, words) => {
  expect(complaints([{ path, text }]).join()).toContain(words);
});

test.each([
  ["tools/a.ts", 'import { b } from "../core/b.js"; import c from "../lib/c.js"; import "./d.js";'],
  ["cli/a.ts", 'import { b } from "../index.js"; const c = import("../bench/c.js");'],
  ["lib/process.ts", 'import { spawn } from "node:child_process"; import fs from "node:fs";'],
  ["models/a.test.ts", 'import { mkdtempSync } from "node:fs"; import { a } from "./a.js";'],
])("what is allowed passes: %s %s", (path, text) => {
  expect(complaints([{ path, text }])).toEqual([]);
});

test("a planted cycle is found, through types it is none", () => {
  const cycle = (a: string) => [
    { path: "lib/a.ts", text: `${a} from "./b.js";` },
    { path: "lib/b.ts", text: 'export { c } from "./c.js";' },
    { path: "lib/c.ts", text: 'import { a } from "./a.js";' },
  ];
  expect(cycles(cycle("import { b }"), importsOf)).toEqual([["lib/a.ts", "lib/b.ts", "lib/c.ts", "lib/a.ts"]]);
  expect(cycles(cycle("import type { B }"), importsOf)).toEqual([]);
});
