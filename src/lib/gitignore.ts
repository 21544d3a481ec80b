// What the lines of a .gitignore mean (gitignore(5)), for paths relative to the directory of that file. Pure.
//   x   at any depth     /x  a/x   from that directory     x/   directories only     !x   not ignored after all
//   *  ?  [ab]   inside a name     **/  /**/  /**   any directories
// Invariants: work is at most (pattern × path) for each line and directory above the path, whatever the pattern; what lies in
// an ignored directory is ignored. A line that git takes for broken, or that is too long, matches nothing.

import { Automaton, type CharTest, longestPattern, readSet } from "./automaton.js";
import { inName } from "./glob.js";

export interface IgnoreVerdict {
  ignored: boolean;
  unignored: boolean;
}

export interface IgnorePattern {
  /** `path` without a slash in front or behind. */
  matches(path: string, isDirectory: boolean): boolean;
  steps(): number;
}

/** A test for paths; directories end in "/". */
export function gitignore(text: string): (path: string) => IgnoreVerdict {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const rules = lines.flatMap((line) => {
    if (line === "" || line.startsWith("#")) return [];
    const negated = line.startsWith("!");
    const pattern = ignorePattern(negated ? line.slice(1) : line, false);
    return pattern ? [{ pattern, negated }] : [];
  });
  const verdict = (path: string, isDirectory: boolean): IgnoreVerdict => {
    const last = rules.findLast(({ pattern }) => pattern.matches(path, isDirectory));
    return { ignored: last?.negated === false, unignored: last?.negated === true };
  };
  return (path) => eachLevel(path, verdict);
}

/** The verdict on the first directory above that is ignored, or else on the path itself. */
function eachLevel(path: string, verdict: (path: string, isDirectory: boolean) => IgnoreVerdict): IgnoreVerdict {
  const isDirectory = path.endsWith("/");
  const whole = isDirectory ? path.slice(0, -1) : path;
  for (let at = whole.indexOf("/"); at >= 0; at = whole.indexOf("/", at + 1)) {
    const above = verdict(whole.slice(0, at), true);
    if (above.ignored) return above;
  }
  return verdict(whole, isDirectory);
}

/** Does the pattern cover the path, or a directory that it lies in? */
export function covers(pattern: IgnorePattern, path: string): boolean {
  const level = (below: string, isDirectory: boolean) => ({
    ignored: pattern.matches(below, isDirectory),
    unignored: false,
  });
  return eachLevel(path, level).ignored;
}

/** One pattern, without the `!` and `#` of a line; null when it can match nothing. */
export function ignorePattern(written: string, anyCase: boolean): IgnorePattern | null {
  const trimmed = withoutBlanks(written);
  const onlyDirectories = trimmed.endsWith("/");
  const pattern = onlyDirectories ? trimmed.slice(0, -1) : trimmed;
  if (pattern === "" || pattern.length > longestPattern) return null;
  const anchored = pattern.includes("/");
  const chars = [...(pattern.startsWith("/") ? pattern.slice(1) : pattern)];
  const automaton = new Automaton();
  const end = translate(chars, automaton, anyCase);
  if (end === null) return null;
  const quick = literalEnd(pattern, anyCase);
  return {
    matches(path, isDirectory) {
      if ((onlyDirectories && !isDirectory) || !path.endsWith(quick)) return false;
      return automaton.accepts(anchored ? path : path.slice(path.lastIndexOf("/") + 1), end);
    },
    steps: () => automaton.steps,
  };
}

/** Blanks at the end mean nothing unless a backslash is before them. */
function withoutBlanks(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === " ") end--;
  let slashes = 0;
  while (slashes < end && line[end - 1 - slashes] === "\\") slashes++;
  return end < line.length && slashes % 2 === 1 ? line.slice(0, end + 1) : line.slice(0, end);
}

/** What every path that matches ends in: it decides most of them without the automaton. */
function literalEnd(pattern: string, anyCase: boolean): string {
  if (anyCase) return "";
  let from = pattern.length;
  while (from > 0 && !"*?[]\\/".includes(pattern[from - 1] ?? "")) from--;
  return pattern.slice(from);
}

/** The end state, or null when a set or an escape is not closed. */
function translate(pattern: readonly string[], automaton: Automaton, anyCase: boolean): number | null {
  const cased = (test: CharTest): CharTest =>
    anyCase ? (char) => test(char) || test(char.toLowerCase()) || test(char.toUpperCase()) : test;
  let at = automaton.start;
  for (let i = 0; i < pattern.length; ) {
    const char = pattern[i] ?? "";
    if (char === "*") [at, i] = stars(pattern, i, at, automaton);
    else if (char === "[") {
      const set = readSet(pattern, i);
      if (!set) return null;
      at = automaton.take(at, cased(set.test));
      i = set.end;
    } else if (char === "\\") {
      const literal = pattern[i + 1];
      if (literal === undefined) return null;
      at = automaton.take(at, cased(equal(literal)));
      i += 2;
    } else {
      at = automaton.take(at, char === "?" ? inName : cased(equal(char)));
      i++;
    }
  }
  return at;
}

function equal(literal: string): CharTest {
  return (char) => char === literal;
}

/** `**` as a whole name stands for any directories, anything else for characters of one name. */
function stars(pattern: readonly string[], from: number, at: number, automaton: Automaton): [at: number, next: number] {
  let next = from;
  while (pattern[next] === "*") next++;
  const isName = next - from > 1 && (from === 0 || pattern[from - 1] === "/");
  if (isName && next === pattern.length) {
    const some = automaton.take(at, () => true);
    return [automaton.repeat(some, () => true), next];
  }
  if (!isName || pattern[next] !== "/") return [automaton.repeat(at, inName), next];
  const inside = automaton.repeat(at, () => true);
  const to = automaton.take(inside, (char) => char === "/");
  automaton.skip(at, to);
  return [to, next + 1];
}
