// Exact replacement of text: unique or refused, several edits all or none. Pure.
// Invariant: outside the replaced ranges not one character changes, line ends included. A file with CRLF is matched as if
// it had LF, and what is put in gets the line ends of its surroundings. A text that is not there as given may differ in
// quotes and blanks when there is one such place (loose.ts), and the reply says so.
// It never picks one of several matches and never matches "nearly"; a near miss is shown instead (near-miss.ts).

import { Refusal, type Way } from "../../core/errors.js";
import type { TextEdit } from "../../core/ports.js";
import type { Replacement } from "../../lib/diff.js";
import { occurrencesOf } from "../../lib/occurrences.js";
import { below } from "../../lib/sorted.js";
import { toCrlf } from "../text.js";
import { looseMatch, maxText } from "./loose.js";
import { nearMiss } from "./near-miss.js";

export interface Edited {
  text: string;
  /** How often an old text was replaced, over all edits. */
  replaced: number;
  /** The ranges replaced in the original text; null when several edits make that unknown. */
  changes: Replacement[] | null;
  /** What was tolerated, one sentence each. */
  notes: string[];
}

/** Applies `edits` in order, each to the result of the one before. Throws a Refusal; then none of them applies. */
export function applyEdits(text: string, edits: readonly TextEdit[], shown: string): Edited {
  if (edits.length === 0) throw new Refusal("input", `${shown} was not changed: no edit was given.`);
  const notes = new Set<string>();
  let current = text;
  let replaced = 0;
  let changes: Replacement[] | null = null;
  for (const [i, edit] of edits.entries()) {
    const label = edits.length === 1 ? "" : `edit ${i + 1} of ${edits.length}: `;
    changes = replacements(current, edit, { shown, label, notes });
    current = splice(current, changes);
    replaced += changes.length;
  }
  return { text: current, replaced, changes: edits.length === 1 ? changes : null, notes: [...notes] };
}

interface EditContext {
  shown: string;
  label: string;
  notes: Set<string>;
}

/** It is there more than once. */
const manifold: readonly Way[] = ["edit-more", "edit-all"];

function replacements(text: string, edit: TextEdit, context: EditContext): Replacement[] {
  const { shown, label, notes } = context;
  const refuse = (kind: "input" | "no-match" | "ambiguous", why: string) => {
    const ways = kind === "no-match" ? ["read" as const] : kind === "ambiguous" ? manifold : [];
    return new Refusal(kind, `${shown} was not changed: ${label}${why}`, ways);
  };
  if (edit.oldText === "") throw refuse("input", "the old text is empty. Give the exact text to replace.");
  if (edit.oldText === edit.newText) throw refuse("input", "old and new text are the same.");
  const found = matches(text, edit.oldText);
  if (found.ranges.length === 0) {
    const loose = looseMatch(text, edit.oldText, edit.newText);
    if (!loose)
      throw refuse("no-match", `the old text is not in the file.${nearMiss(text, edit.oldText)}${unsearched(text)}`);
    const { change, starts, note } = loose;
    if (!change)
      throw refuse("no-match", `the old text is not in the file. With ${note} it is there ${places(text, starts)}.`);
    notes.add(`matched with ${note}`);
    return [{ ...change, text: withEolOf(text, change.start, change.end, change.text) }];
  }
  if (found.ranges.length > 1 && !edit.replaceAll) {
    const starts = found.ranges.map((range) => range.start);
    throw refuse("ambiguous", `the old text occurs ${places(text, starts)}, and one place must be meant.`);
  }
  if (found.tolerant) notes.add("matched without regard to line ends (LF, CRLF)");
  return apart(found.ranges).map(({ start, end }) => ({ start, end, text: withEolOf(text, start, end, edit.newText) }));
}

function unsearched(text: string): string {
  return text.length > maxText ? " The file is too long to look past quotes and blanks: only exact text matches." : "";
}

function places(text: string, starts: readonly number[]): string {
  const more = starts.length > 10 ? ", …" : "";
  return `${starts.length} times (lines ${lineNumbers(text, starts.slice(0, 10)).join(", ")}${more})`;
}

interface Range {
  start: number;
  end: number;
}

/** `tolerant`: the text as given, line ends included, is not in the file. */
function matches(text: string, wanted: string): { ranges: Range[]; tolerant: boolean } {
  const exact = occurrences(text, wanted);
  const crlf = text.includes("\r\n");
  if (wanted.includes("\r\n") && exact.length > 0) return { ranges: exact, tolerant: false };
  if (!crlf && !wanted.includes("\r\n")) return { ranges: exact, tolerant: false };
  const plain = wanted.replaceAll("\r\n", "\n");
  if (!crlf) return { ranges: occurrences(text, plain), tolerant: true };
  const collapsed = text.replaceAll("\r\n", "\n");
  const ends = collapsedEnds(text);
  const ranges = occurrences(collapsed, plain).map(({ start, end }) => ({
    start: start + below(ends, start),
    end: end + below(ends, end),
  }));
  return { ranges, tolerant: exact.length !== ranges.length };
}

/** Also places that overlap: of two such, which one was meant is as open as of any two. */
function occurrences(text: string, wanted: string): Range[] {
  return occurrencesOf(text, wanted).map((start) => ({ start, end: start + wanted.length }));
}

/** Those that can be replaced side by side, from the first on. */
function apart(ranges: readonly Range[]): Range[] {
  const chosen: Range[] = [];
  for (const range of ranges) if (range.start >= (chosen.at(-1)?.end ?? 0)) chosen.push(range);
  return chosen;
}

/** Positions, in the text with LF only, of the line ends that were CRLF. */
function collapsedEnds(text: string): number[] {
  const ends: number[] = [];
  for (let at = text.indexOf("\r\n"); at >= 0; at = text.indexOf("\r\n", at + 2)) ends.push(at - ends.length);
  return ends;
}

/** `fresh` with CRLF when the replaced range, or else the nearest line end, has CRLF. */
function withEolOf(text: string, start: number, end: number, fresh: string): string {
  if (!fresh.includes("\n") || !text.includes("\r\n")) return fresh;
  const inside = text.indexOf("\n", start);
  const near = inside >= 0 && inside < end ? inside : text.indexOf("\n", end);
  const at = near >= 0 ? near : text.lastIndexOf("\n", start);
  return text.charCodeAt(at - 1) === 13 ? toCrlf(fresh) : fresh;
}

function splice(text: string, changes: readonly Replacement[]): string {
  let out = "";
  let at = 0;
  for (const change of changes) {
    out += text.slice(at, change.start) + change.text;
    at = change.end;
  }
  return out + text.slice(at);
}

/** 1-based line numbers of ascending positions. */
function lineNumbers(text: string, positions: readonly number[]): number[] {
  let line = 1;
  let from = 0;
  return positions.map((position) => {
    for (let at = text.indexOf("\n", from); at >= 0 && at < position; at = text.indexOf("\n", at + 1)) {
      line++;
      from = at + 1;
    }
    return line;
  });
}
