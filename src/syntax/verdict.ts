// What a change did to the syntax of a file: the faults that are in the text after it and were not before.
// Invariant: a verdict is advice. Whatever goes wrong while it is found (a parser that throws, that does not load, that
// is slow to load) is `unavailable`, never an error of the file and never an exception.
// A fault is recognised by its words and the text of its line, so lines may move; counted, so that copies are new.

import { messageOf } from "../core/errors.js";
import { type SyntaxIssue, Unchecked } from "./checker.js";
import { languageOf } from "./languages.js";

export type Verdict =
  /** Nothing new; `still`: faults that were there before. `hints`: odd, but accepted. */
  | { kind: "ok"; still: SyntaxIssue[]; hints: SyntaxIssue[] }
  /** At most 3 of the new faults, and how many there are beyond them. */
  | { kind: "error"; issues: SyntaxIssue[]; more: number }
  /** The text is a piece, and all that is wrong can be mended by going on. */
  | { kind: "partial"; issues: SyntaxIssue[] }
  | { kind: "unavailable"; why: string };

export interface TextChange {
  path: string;
  /** null = there was no file. */
  before: string | null;
  after: string;
  /** More of the file may follow. */
  partial: boolean;
}

/** Faults known from before: how often each is there, by `keyOf`. */
export type Known = ReadonlyMap<string, number>;

export type Faults = { kind: "faults"; issues: SyntaxIssue[] } | { kind: "unavailable"; why: string };

export const maxShown = 3;
const maxChars = 1_000_000;
const maxLines = 20_000;
/** Milliseconds that the first use of a language may take before the write goes on without it. */
const maxLoad = 2_000;

/** The verdict on one change, or null when there is no checker for this kind of file. */
export async function checkChange(change: TextChange): Promise<Verdict | null> {
  const faults = await faultsIn(change.path, change.after);
  if (faults === null || faults.kind === "unavailable") return faults;
  return judge(change, faults.issues, await knownIn(change, faults.issues)).verdict;
}

/** Whether a text is what its path says it is. */
export async function parses(path: string, text: string): Promise<"ok" | "error" | "unknown"> {
  const faults = await faultsIn(path, text);
  if (faults === null || faults.kind === "unavailable") return "unknown";
  return faults.issues.some((issue) => !issue.isHint) ? "error" : "ok";
}

/** Everything wrong with a text, at most one fault a line. `patience`: milliseconds for a parser that is not loaded yet. */
export async function faultsIn(path: string, text: string, patience = maxLoad): Promise<Faults | null> {
  const language = languageOf(path, text);
  if (!language) return null;
  if (text.length > maxChars || isLongerThan(text, maxLines)) return { kind: "unavailable", why: "too large" };
  try {
    const checker = await within(patience, language.load());
    if (!checker) return { kind: "unavailable", why: "its parser is still loading" };
    return { kind: "faults", issues: onePerLine(checker.issues(text)) };
  } catch (error) {
    const why = messageOf(error).split("\n", 1)[0]?.slice(0, 100) ?? "";
    return { kind: "unavailable", why: error instanceof Unchecked ? why : `its parser failed: ${why}` };
  }
}

/** What was wrong before; not looked at when nothing is wrong after. */
export async function knownIn({ path, before }: TextChange, after: readonly SyntaxIssue[]): Promise<Known> {
  if (before === null || after.length === 0) return new Map();
  const faults = await faultsIn(path, before);
  return faults?.kind === "faults" ? count(faults.issues, before) : new Map();
}

/**
 * Separates what is new from what was known. A parser that stops at its first fault shows the next one when that is
 * mended: as long as there are no more faults than before, one on a line that the change left alone is not new; it is
 * `known` from then on.
 */
export function judge(
  change: TextChange,
  issues: readonly SyntaxIssue[],
  known: Known,
): { verdict: Exclude<Verdict, { kind: "unavailable" }>; known: Known } {
  const lines = change.after.split("\n");
  const left = new Map(known);
  const fresh: SyntaxIssue[] = [];
  const still: SyntaxIssue[] = [];
  for (const issue of issues) {
    const key = keyOf(issue, lines);
    const times = left.get(key) ?? 0;
    left.set(key, times - 1);
    (times > 0 ? still : fresh).push(issue);
  }
  const touched = change.before === null ? null : touchedLines(change.before.split("\n"), lines);
  const before = [...known.values()].reduce((sum, times) => sum + times, 0);
  if (before > 0 && issues.length <= before && touched && fresh.every(({ line }) => !touched(line))) {
    const all = count(issues, change.after);
    return { verdict: ok(issues), known: new Map([...known, ...all]) };
  }
  const errors = fresh.filter((issue) => !issue.isHint);
  if (change.partial && isUnfinished(fresh)) return { verdict: { kind: "partial", issues: shown(fresh) }, known };
  if (errors.length === 0) return { verdict: { ...ok(still), hints: shown(hintsOf(fresh, change.partial)) }, known };
  return { verdict: { kind: "error", issues: shown(errors), more: Math.max(0, errors.length - maxShown) }, known };
}

function ok(still: readonly SyntaxIssue[]): Extract<Verdict, { kind: "ok" }> {
  return { kind: "ok", still: shown(still.filter((issue) => !issue.isHint)), hints: [] };
}

/** Is what comes first merely not finished yet? What follows an open bracket or string says little. */
function isUnfinished(issues: readonly SyntaxIssue[]): boolean {
  const [first] = issues.filter((issue) => !issue.isHint || issue.isOpen);
  return first?.isOpen ?? false;
}

/** That a page is not closed matters only while it is written. */
function hintsOf(issues: readonly SyntaxIssue[], partial: boolean): SyntaxIssue[] {
  return issues.filter((issue) => issue.isHint && (partial || !/^`<(?:html|head|body)>`/.test(issue.text)));
}

function shown(issues: readonly SyntaxIssue[]): SyntaxIssue[] {
  return issues.slice(0, maxShown);
}

/** By key, how often a fault is in a text. */
function count(issues: readonly SyntaxIssue[], text: string): Map<string, number> {
  const lines = text.split("\n");
  const counted = new Map<string, number>();
  for (const issue of issues) {
    const key = keyOf(issue, lines);
    counted.set(key, (counted.get(key) ?? 0) + 1);
  }
  return counted;
}

/** What is open at the end is said wherever the end is. */
function keyOf({ line, text, isOpen }: SyntaxIssue, lines: readonly string[]): string {
  return isOpen ? text : `${text}\n${(lines[line - 1] ?? "").trim()}`;
}

/** Which lines of `after` (1-based) are not those of `before`: all between the common beginning and the common end. */
function touchedLines(before: readonly string[], after: readonly string[]): (line: number) => boolean {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  return (line) => line > head && line <= after.length - tail;
}

/** The first of a line, an error before a hint: the others mostly follow from it. */
function onePerLine(issues: readonly SyntaxIssue[]): SyntaxIssue[] {
  const first = new Map<number, SyntaxIssue>();
  for (const issue of issues) {
    const there = first.get(issue.line);
    if (!there || (there.isHint && !issue.isHint)) first.set(issue.line, issue);
  }
  return issues.filter((issue) => first.get(issue.line) === issue);
}

function isLongerThan(text: string, lines: number): boolean {
  let found = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) if (++found > lines) return true;
  return false;
}

async function within<Value>(ms: number, value: Promise<Value>): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([value, late]);
  } finally {
    clearTimeout(timer);
  }
}
