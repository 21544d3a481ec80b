// Globs of files that somebody owns, from the project's root: "*" stays within a name, "**" stands for any directories.
// A pattern without a slash means files of the root itself. Pure.

import { globMatcher } from "./glob.js";

/** A test for paths relative to the root. */
export function ownedBy(patterns: readonly string[]): (path: string) => boolean {
  const tests = patterns.map((pattern) => {
    const test = globMatcher(pattern);
    return isOfRoot(pattern) ? (path: string) => !path.includes("/") && test(path) : test;
  });
  return (path) => tests.some((test) => test(path));
}

function isOfRoot(pattern: string): boolean {
  return !clean(pattern).includes("/");
}

function clean(pattern: string): string {
  return pattern.replace(/^\.?\/+/, "");
}

/** Can one file fit both? Of sets and alternatives the answer may be yes where there is none, never the other way. */
export function overlap(one: string, other: string): boolean {
  return meet(clean(one).split("/"), clean(other).split("/"));
}

function meet(one: readonly string[], other: readonly string[]): boolean {
  const [a, ...moreA] = one;
  const [b, ...moreB] = other;
  if (a === undefined || b === undefined) return [...one, ...other].every((name) => name === "**");
  if (a === "**") return meet(moreA, other) || meet(one, moreB);
  if (b === "**") return meet(one, moreB) || meet(moreA, other);
  return namesMeet(a, b) && meet(moreA, moreB);
}

/** Two patterns of one name. A set or alternatives stand for anything. */
function namesMeet(a: string, b: string): boolean {
  if (/[[{\\]/.test(a + b)) return true;
  if (a === "" || b === "") return /^\**$/.test(a + b);
  if (a.startsWith("*")) return namesMeet(a.slice(1), b) || namesMeet(a, b.slice(1));
  if (b.startsWith("*")) return namesMeet(a, b.slice(1)) || namesMeet(a.slice(1), b);
  return (a[0] === "?" || b[0] === "?" || a[0] === b[0]) && namesMeet(a.slice(1), b.slice(1));
}
