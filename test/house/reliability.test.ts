// docs/reliability.md names, for every fault of the provider (F) and of commands (D), the tests that play it: they exist,
// and say the number in a name.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../support/run.js";

const page = join(root, "docs/reliability.md");
const rows = readFileSync(page, "utf8").split("\n");

/** The rows of the table of a letter: its numbers, and the text of the tests it names. */
function table(letter: string): { numbers: number[]; tests: string }[] {
  const start = rows.findIndex((row) => row.startsWith(`| ${letter} |`)) + 2;
  const end = rows.findIndex((row, at) => at >= start && !row.startsWith("|"));
  return rows.slice(start, end).map((row) => {
    const cells = row.split("|");
    const files = [...(cells.at(-2) ?? "").matchAll(/\]\((.*?)\)/g)].map(([, file = ""]) => join(dirname(page), file));
    return { numbers: numbersIn(cells[1] ?? ""), tests: files.map((file) => readFileSync(file, "utf8")).join("\n") };
  });
}

/** `86–88` and `89, 93`. */
function numbersIn(cell: string): number[] {
  return cell.split(",").flatMap((part) => {
    const [from = 0, to = from] = part.split("–").map(Number);
    return Array.from({ length: to - from + 1 }, (_, at) => from + at);
  });
}

/** Every number that the names of tests give a letter, as in `"D 86, 88: …"`. */
function named(letter: string, tests: string): Set<number> {
  const lists = tests.matchAll(/["`]([A-Z] [0-9, A-Z-–]*):/g);
  return new Set([...lists].flatMap(([, list = ""]) => numbersOf(letter, list)));
}

function numbersOf(letter: string, list: string): number[] {
  let current = "";
  return list.split(",").flatMap((part) => {
    const [, word, from = "", to = from] = /^\s*([A-Z])?\s*(\d+)(?:[–-](\d+))?/.exec(part) ?? [];
    current = word ?? current;
    return current === letter ? numbersIn(`${from}–${to}`) : [];
  });
}

describe.each([
  ["F", 132, 151],
  ["D", 86, 108],
] as const)("%s %d to %d", (letter, first, last) => {
  const all = table(letter);

  test("each has a row", () => {
    const covered = new Set(all.flatMap(({ numbers }) => numbers));
    const missing = Array.from({ length: last - first + 1 }, (_, at) => first + at).filter((n) => !covered.has(n));
    expect(missing).toEqual([]);
  });

  test("each row names tests that play its numbers", () => {
    const bare = all.filter(({ tests }) => tests === "");
    expect(bare).toEqual([]);
    const silent = all.flatMap(({ numbers, tests }) => numbers.filter((n) => !named(letter, tests).has(n)));
    expect(silent).toEqual([]);
  });
});
