import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/run.js";
import { nodeFs } from "../lib/fs.js";
import { faultsOf } from "./completeness.js";

const real = "export function start(port) {\n  return listen(port);\n}\n";

test.each<[string, Record<string, string>, string[]]>([
  ["whole", { "a.js": real }, []],
  ["not there", {}, ["missing a.js: it is not there"]],
  ["empty", { "a.js": "\n" }, ["stub a.js: it is empty", "export a.js: start, which the plan promises, is not in it"]],
  ["a body that is empty", { "a.js": "export function start() {}\n" }, ["stub a.js:1: start is empty"]],
  [
    "code left out",
    { "a.js": `${real}// ... rest of the code\n` },
    ['stub a.js:4: "... rest of the code" stands for code that was left out'],
  ],
  [
    "another name",
    { "a.js": real.replace("start", "restart") },
    ["export a.js: start, which the plan promises, is not in it"],
  ],
  [
    "a name in a comment",
    { "a.js": "// start\nexport function go(port) {\n  return listen(port);\n}\n" },
    ["export a.js: start, which the plan promises, is not in it"],
  ],
  ["one hollow among many", { "a.js": `${real.repeat(9)}function later() {}\n` }, []],
])("%s", async (_what, files, expected) => {
  expect(await faults(["a.js"], files, { "a.js": ["start"] })).toEqual(expected);
});

test.each([
  ["__init__.py", ""],
  ["pkg/__init__.py", "from .core import run\n\n__all__ = ['run']\n"],
  ["index.css", "a{}\n"],
  ["config.json", "{}\n"],
])("a small file that is what it should be is never found wanting: %s", async (file, text) => {
  expect(await faults([file], { [file]: text })).toEqual([]);
});

test("what a link leads to outside of the project is none of its files; a link within it is", async () => {
  const base = tempDir("complete");
  const root = join(base, "project");
  mkdirSync(join(root, "real"), { recursive: true });
  mkdirSync(join(base, "elsewhere"));
  for (const folder of ["elsewhere", "project/real"]) writeFileSync(join(base, folder, "a.js"), real);
  symlinkSync("../elsewhere", join(root, "out"));
  symlinkSync("../elsewhere/a.js", join(root, "a.js"));
  symlinkSync("real", join(root, "in"));
  const ground = { root, disk: nodeFs };
  expect(await faultsOf({ files: ["in/a.js"], exports: {} }, ground)).toEqual([]);
  const files = ["out/a.js", "a.js"];
  const what = "a link on the way leads out of the project, so it is none of its files";
  expect(await faultsOf({ files, exports: {} }, ground)).toEqual(
    files.map((file) => ({ kind: "missing", file, what })),
  );
});

async function faults(
  declared: string[],
  files: Record<string, string>,
  exports: Record<string, string[]> = {},
): Promise<string[]> {
  const root = tempDir("complete");
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const found = await faultsOf({ files: declared, exports }, { root, disk: nodeFs });
  return found.map(({ kind, file, line, what }) => `${kind} ${file}${line === undefined ? "" : `:${line}`}: ${what}`);
}
