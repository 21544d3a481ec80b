// What of the documentation can be checked is checked here: links, set-up lines, tables, and that everything a user can
// name (flags, settings, tools) has its page. The SDK example of docs/sdk.md is taken from the page and run.

import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transform } from "esbuild";
import { beforeAll, expect, test } from "vitest";
import { slashCommands } from "../../src/cli/slash/index.js";
import buildDist from "../support/build.js";
import { cinch, root, runNode, tempDir } from "../support/run.js";
import { anchorsOf, blockOf, linksOf, page, pages, tableOf } from "./pages.js";
import { shipped, toolsOf } from "./source.js";
import { typeErrors } from "./types.js";

beforeAll(buildDist);

test("relative links lead to files and headings that exist", () => {
  const links = pages().flatMap(linksOf);
  expect(links.length).toBeGreaterThan(20);
  const broken = links.filter(({ from, path, anchor }) => {
    if (path && !existsSync(join(root, path))) return true;
    const target = path || from;
    return anchor !== undefined && target.endsWith(".md") && !anchorsOf(page(target)).includes(anchor);
  });
  expect(broken).toEqual([]);
});

test("every page of docs/ is in its index", () => {
  const indexed = linksOf(page("docs/README.md")).map(({ path }) => path);
  const own = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" });
  const lost = own.filter((name) => name.endsWith(".md") && name !== "README.md" && !indexed.includes(`docs/${name}`));
  expect(lost).toEqual([]);
});

test("every folder of src/ has a page", () => {
  const rows = tableOf(page("docs/README.md"), "## Folders and their pages");
  const folders = readdirSync(join(root, "src"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.length).toBeGreaterThan(8);
  expect(rows.map(([folder]) => folder).sort()).toEqual(folders.map(({ name }) => `\`${name}/\``).sort());
  for (const [folder, cell] of rows) expect(cell, folder).toMatch(/\]\(.+\.md/);
});

test("the README has the two set-up lines, word for word", () => {
  const lines = page("README.md").text.split("\n");
  expect(lines.filter((line) => line === "npm ci && npm run demo")).toHaveLength(1);
  expect(lines.filter((line) => line === "npm ci && npm test")).toHaveLength(1);
});

test("every capability in the README names its page", () => {
  const rows = tableOf(page("README.md"), "## What it can do");
  expect(rows.length).toBeGreaterThan(8);
  for (const row of rows) {
    const links = linksOf({ path: "README.md", text: row.at(-1) ?? "" });
    expect(links.length, row.join(" | ")).toBeGreaterThan(0);
  }
});

test("every flag of --help is in docs/cli.md", async () => {
  const { stdout } = await cinch(["--help"], { cwd: tempDir() });
  const flags = [...new Set(stdout.match(/--[a-z][a-zA-Z-]+/g))];
  expect(flags.length).toBeGreaterThan(20);
  const { text } = page("docs/cli.md");
  expect(flags.filter((flag) => !new RegExp(`${flag}(?![a-zA-Z-])`).test(text))).toEqual([]);
});

test("every slash command is in docs/cli.md", () => {
  const names = Object.keys(slashCommands);
  expect(names).toContain("help");
  const { text } = page("docs/cli.md");
  expect(names.filter((name) => !text.includes(`| \`/${name}`))).toEqual([]);
});

test("every settings key of config --explain is in docs/config.md", async () => {
  const { stdout } = await cinch(["config", "--explain", "--json"], { cwd: tempDir() });
  const keys = settingsKeys(JSON.parse(stdout));
  expect(keys.length).toBeGreaterThan(20);
  const { text } = page("docs/config.md");
  expect(keys.filter((key) => !text.includes(`\`${key}\``))).toEqual([]);
});

/** The values of members called `key`, wherever they are. */
function settingsKeys(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === "key" && typeof inner === "string" ? [inner] : settingsKeys(inner),
  );
}

test("the tests that docs/security.md names exist, with their titles", () => {
  const { text } = page("docs/security.md");
  const files = [...text.matchAll(/`((?:src|test)\/[\w./-]+\.test\.ts)`/g)].map(([, file = ""]) => file);
  const titles = [...text.matchAll(/`([\w./-]+\.test\.ts)`: “([^”]+)”/g)];
  expect([files.length > 60, titles.length > 60]).toEqual([true, true]);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  const lost = titles.filter(([, file = "", title = ""]) => !page(file).text.includes(title));
  expect(lost.map(([whole]) => whole)).toEqual([]);
});

test("every tool is in docs/tools.md", () => {
  const names = [...toolsOf(shipped()).keys()];
  expect(names.length).toBeGreaterThanOrEqual(10);
  const { text } = page("docs/tools.md");
  expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

test("the SDK example runs and prints what the page says", async () => {
  const folder = tempDir();
  const example = blockOf(page("docs/sdk.md"), "ts example.ts");
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules/cinch"));
  const { code } = await transform(example, { loader: "ts", format: "esm" });
  writeFileSync(join(folder, "example.mjs"), code);
  const { exit, stdout, stderr } = await runNode(["example.mjs"], { cwd: folder });
  expect([exit, stderr]).toEqual([0, ""]);
  expect(stdout).toBe(blockOf(page("docs/sdk.md"), "text output"));
});

test("the SDK example has no type errors", () => {
  expect(typeErrors({ "example.ts": blockOf(page("docs/sdk.md"), "ts example.ts") })).toEqual([]);
});
