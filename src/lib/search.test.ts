import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/run.js";
import { Cancelled } from "../core/errors.js";
import { nodeFs } from "./fs.js";
import { listDirectory, listLimits } from "./ignore.js";
import { findFiles, findLines, SearchError, searchLimits } from "./search.js";

function tree(files: Record<string, string>): string {
  const root = tempDir("cinch-search-");
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

const place = (directory: string, root = directory) => ({
  directory,
  root,
  env: {},
  signal: new AbortController().signal,
  disk: nodeFs,
});

const project = {
  ".gitignore": "dist/\n*.log\n!keep.log\n",
  ".git/config": "needle",
  ".github/ci.yml": "needle",
  "src/a.ts": "one\nneedle two\n",
  "src/deep/b.ts": "Needle\r\n",
  "src/deep/c.js": "needle",
  "dist/out.ts": "needle",
  "debug.log": "needle",
  "keep.log": "needle",
};

test("finds files by name at any depth, hidden ones too, ignored ones never", async () => {
  const root = tree(project);
  expect((await findFiles("*.{ts,yml}", place(root))).items.sort()).toEqual([
    ".github/ci.yml",
    "src/a.ts",
    "src/deep/b.ts",
  ]);
  expect((await findFiles("*.log", place(root))).items).toEqual(["keep.log"]);
  expect((await findFiles("src/*.ts", place(root))).items).toEqual(["src/a.ts"]);
  expect((await findFiles("**/b.ts", place(root))).items).toEqual(["src/deep/b.ts"]);
  expect((await findFiles("config", place(root))).items).toEqual([]);
});

test("rules of the root hold in a search below it", async () => {
  const root = tree({ ".gitignore": "*.gen\n", "src/x.gen": "", "src/y.ts": "" });
  expect((await findFiles("*", place(join(root, "src"), root))).items).toEqual(["y.ts"]);
});

test("newest first, capped, and the rest is counted", async () => {
  const many = Object.fromEntries(Array.from({ length: searchLimits.files + 7 }, (_, i) => [`f${i}.txt`, ""]));
  const root = tree(many);
  utimesSync(join(root, "f3.txt"), new Date(), new Date(Date.now() + 60_000));
  const found = await findFiles("*.txt", place(root));
  expect(found.items[0]).toBe("f3.txt");
  expect(found).toMatchObject({ more: 7, atLeast: false });
});

test("finds lines with number, by path, without ignored files", async () => {
  const root = tree(project);
  const found = await findLines({ pattern: "needle", glob: "*.{ts,js}" }, place(root));
  expect(found.hits).toEqual([
    { path: "src/a.ts", line: 2, text: "needle two" },
    { path: "src/deep/c.js", line: 1, text: "needle" },
  ]);
  expect(found).toMatchObject({ files: 2, more: 0, atLeast: false });
  const all = await findLines({ pattern: "needle", ignoreCase: true, glob: "src/**" }, place(root));
  expect(all.hits.map((hit) => hit.text)).toEqual(["needle two", "Needle", "needle"]);
});

test("one file can be searched, and a pattern may begin with a dash", async () => {
  const root = tree({ "a.txt": "-x\n", "b.txt": "-x\n" });
  const found = await findLines({ pattern: "-x" }, { ...place(root), file: "a.txt" });
  expect(found.hits).toEqual([{ path: "a.txt", line: 1, text: "-x" }]);
});

test("names with line ends, colons and dashes are kept", async () => {
  const root = tree({ "-a:1:b\nc.txt": "hit" });
  expect((await findLines({ pattern: "hit" }, place(root))).hits[0]?.path).toBe("-a:1:b\nc.txt");
  expect((await findFiles("*.txt", place(root))).items).toEqual(["-a:1:b\nc.txt"]);
});

test("hits and long lines are capped", async () => {
  const root = tree({ "a.txt": "hit\n".repeat(searchLimits.hits + 5), "b.min": `hit${"x".repeat(100_000)}` });
  const found = await findLines({ pattern: "hit" }, place(root));
  expect(found.hits.length).toBe(searchLimits.hits);
  expect(found.more).toBe(6);
  const long = await findLines({ pattern: "hit", glob: "*.min" }, place(root));
  expect(long.hits[0]?.text.length).toBeLessThan(searchLimits.lineChars + 60);
  const flood = await findLines({ pattern: "hit" }, place(tree({ "a.txt": "hit\n".repeat(500_000) })));
  expect(flood.atLeast).toBe(true);
});

test("an invalid expression is ripgrep's own message", async () => {
  const root = tree({ "a.txt": "x" });
  await expect(findLines({ pattern: "(" }, place(root))).rejects.toThrow(SearchError);
  await expect(findLines({ pattern: "(" }, place(root))).rejects.toThrow(/unclosed group/);
});

test("what ripgrep says about a binary file is not taken for a hit", async () => {
  const root = tree({ "a.bin": `${"hit\n".repeat(30_000)}\0hit`, "z.txt": "hit" });
  const found = await findLines({ pattern: "hit", glob: "z*" }, place(root));
  expect(found.hits).toEqual([{ path: "z.txt", line: 1, text: "hit" }]);
});

test("a cancelled search says so", async () => {
  const cancelled = { ...place(tree({ "a.txt": "x" })), signal: AbortSignal.abort() };
  await expect(findLines({ pattern: "x" }, cancelled)).rejects.toThrow(Cancelled);
});

test("lists a directory: sorted, directories marked, ignored and .git left out", async () => {
  const root = tree({ ...project, "src/.gitignore": "*.js\n", "src/deep/.gitignore": "!c.js\n" });
  expect((await listDirectory(nodeFs, root, "")).items).toEqual([".github/", ".gitignore", "keep.log", "src/"]);
  expect((await listDirectory(nodeFs, root, "src/deep")).items).toEqual([".gitignore", "b.ts", "c.js"]);
});

test("a long listing is capped and counted", async () => {
  const names = Array.from({ length: listLimits.items + 3 }, (_, i) => [`f${i}`, ""]);
  const listing = await listDirectory(nodeFs, tree(Object.fromEntries(names)), "");
  expect(listing.items.length).toBe(listLimits.items);
  expect(listing).toMatchObject({ more: 3, atLeast: false });
});
