// Sanitising and the search for left-out code on files that people published: nothing changes, and next to nothing is
// suspected. The files are those of node_modules, in order of their names, so many of each kind and not too large.

import fs from "node:fs";
import { extname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { findPlaceholders } from "./placeholder.js";
import { sanitise, sanitisePiece } from "./sanitise.js";
import { stubScore } from "./stub.js";

const root = fileURLToPath(new URL("../../../node_modules", import.meta.url));
const kinds = ".ts .js .json .md .cts .cjs .mjs .mts .mdx .yml .html .css .xml .svg .py .h .c .txt .flow".split(" ");
const perKind = 900;
const largest = 300_000;
/** Measured: 3 of 7,074 files, all of them generated documentation with `<omitted>` in it. */
const suspectShare = 0.005;

interface Sample {
  path: string;
  text: string;
}

let corpus: Sample[] = [];

beforeAll(() => {
  const counts = new Map<string, number>();
  corpus = filesBelow(root).flatMap((path) => {
    const kind = extname(path);
    const count = counts.get(kind) ?? 0;
    if (!kinds.includes(kind) || count >= perKind || fs.statSync(path).size > largest) return [];
    counts.set(kind, count + 1);
    return [{ path, text: fs.readFileSync(path, "utf8") }];
  });
});

/** Regular files, sorted; caches and links are left out. */
function filesBelow(directory: string): string[] {
  const entries = fs.readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return entry.name.startsWith(".") ? [] : filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}

test("there are at least 2,000 files of at least eight kinds", () => {
  expect(corpus.length).toBeGreaterThan(2_000);
  expect(new Set(corpus.map(({ path }) => extname(path))).size).toBeGreaterThanOrEqual(8);
});

test("not one byte changes, whatever a parser would say", () => {
  const changed = corpus.filter(({ path, text }) => {
    const cleaned = [sanitise(path, text), sanitise(path, text, () => "ok"), sanitisePiece(path, text)];
    return cleaned.some((each) => each.text !== text || each.notes.length > 0);
  });
  expect(changed.map(({ path }) => relative(root, path))).toEqual([]);
});

test("nor under the name of another kind of file", () => {
  const programs = corpus.filter(({ path }) => ![".md", ".mdx", ".txt"].includes(extname(path)));
  const names = ["a.py", "a.rs", "a.css", "a.xml", "a.vue", "a.toml", "Makefile", "a.unknown"];
  const changed = programs.filter(({ text }) => names.some((name) => sanitise(name, text, () => "ok").text !== text));
  expect(changed.map(({ path }) => relative(root, path))).toEqual([]);
});

test("hardly any file seems to leave out code", () => {
  const suspects = corpus.flatMap(({ path, text }) => {
    return findPlaceholders(path, text).map(({ line, text: said }) => `${relative(root, path)}:${line} ${said}`);
  });
  const files = new Set(suspects.map((suspect) => suspect.replace(/:\d+ .*/, "")));
  expect(files.size / corpus.length, suspects.join("\n")).toBeLessThan(suspectShare);
});

test("hardly any file seems to be a stub", () => {
  const suspects = corpus.filter(({ path, text }) => stubScore(path, text).score >= 0.5);
  const list = suspects.map(({ path }) => relative(root, path)).join("\n");
  expect(suspects.length / corpus.length, list).toBeLessThan(suspectShare);
});
