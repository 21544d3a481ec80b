// Globs of files that somebody owns, from the project's root: "*" stays within a name, "**" stands for any directories.
// A pattern without a slash means files of the root itself. Pure.

import { globMatcher, withoutLead } from "./glob.js";

/** A test for paths relative to the root. */
export function ownedBy(patterns: readonly string[]): (path: string) => boolean {
  const tests = patterns.map((pattern) => {
    const test = globMatcher(pattern);
    return isOfRoot(pattern) ? (path: string) => !path.includes("/") && test(path) : test;
  });
  return (path) => tests.some((test) => test(path));
}

function isOfRoot(pattern: string): boolean {
  return !withoutLead(pattern).includes("/");
}

/** Can one file fit both? Sets, alternatives and stars in a name: the answer may be yes where there is none, never the other way. */
export function overlap(one: string, other: string): boolean {
  return meet(withoutLead(one).split("/"), withoutLead(other).split("/"));
}

function meet(one: readonly string[], other: readonly string[]): boolean {
  return fitTogether(one, other, isAnyDirectories, namesMeet);
}

/** Also stars inside a name, and alternatives with a slash in them, which the split has cut. */
function isAnyDirectories(name: string): boolean {
  return name.includes("**") || name.split("{").length !== name.split("}").length;
}

/** Two patterns of one name. A set or alternatives stand for anything. */
function namesMeet(a: string, b: string): boolean {
  if (/[[{\\]/.test(a + b)) return true;
  const isAny = (char: string) => char === "*";
  return fitTogether([...a], [...b], isAny, (x, y) => x === "?" || y === "?" || x === y);
}

/** Does a sequence fit both? An item that `isAny` stands for any number. Filled from the ends, each pair is looked at once. */
function fitTogether(
  one: readonly string[],
  other: readonly string[],
  isAny: (item: string) => boolean,
  meets: (a: string, b: string) => boolean,
): boolean {
  let below: boolean[] = [];
  for (let i = one.length; i >= 0; i--) {
    const row: boolean[] = [];
    const a = one[i];
    for (let j = other.length; j >= 0; j--) {
      const b = other[j];
      if (a === undefined && b === undefined) row[j] = true;
      else if ([a, b].some((item) => item !== undefined && isAny(item)))
        row[j] = below[j] === true || row[j + 1] === true;
      else row[j] = a !== undefined && b !== undefined && below[j + 1] === true && meets(a, b);
    }
    below = row;
  }
  return below[0] === true;
}
