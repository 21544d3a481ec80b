// A gitignore pattern as a rule writes it, on canonical absolute paths:
//   src/**  *.md   below the project's root     /x   at the root     //x   absolute     ~/x   in the user's home
// A pattern that names a directory covers what is in it. `!` is a mistake: what a rule takes back belongs in another list.

import { covers, ignorePattern } from "../lib/gitignore.js";
import { within } from "../lib/paths.js";

export interface PatternBases {
  /** Canonical root of the project. */
  root: string;
  /** Canonical home of the user. */
  home: string;
}

export type PathTest = (path: string) => boolean;

/** `anyCase`: letters count as equal in both cases, for rules that only tighten. Throws a sentence (Error). */
export function pathTest(pattern: string, bases: PatternBases, anyCase: boolean): PathTest {
  if (pattern.startsWith("!")) throw new Error("a pattern cannot begin with !; use another list for exceptions");
  if (pattern.trim() === "") throw new Error("the pattern is empty");
  const { base, own } = based(pattern, bases);
  const compiled = ignorePattern(own, anyCase);
  if (!compiled) throw new Error("the pattern names nothing, has a [ or \\ that is not closed, or is too long");
  return (path) => path !== base && within(base, path) && covers(compiled, relativeTo(base, path));
}

/** The pattern that stands for this one path. */
export function patternOf(path: string, root: string): string {
  const [lead, rest] = within(root, path) ? ["", path.slice(root === "/" ? 0 : root.length)] : ["/", path];
  return lead + rest.replace(/[\\*?[\]]/g, "\\$&").replace(/ $/, "\\ ");
}

function based(pattern: string, { root, home }: PatternBases): { base: string; own: string } {
  if (pattern.startsWith("//")) return { base: "/", own: pattern.slice(1) };
  if (pattern.startsWith("~/")) return { base: home, own: pattern.slice(1) };
  return { base: root, own: pattern.replace(/^\.\//, "/") };
}

function relativeTo(base: string, path: string): string {
  return path.slice(base === "/" ? 1 : base.length + 1);
}
