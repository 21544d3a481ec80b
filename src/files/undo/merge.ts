// A three-way merge by lines, for taking a change back where somebody has changed the file since.
// Invariant: pure and exact in bytes; two changes that overlap or touch are not merged but refused (null). Text is
// handled as latin1, so every encoding without NUL bytes passes through unharmed.

import { diffArrays } from "diff";
import { blocksOf } from "../../lib/diff.js";

/** Old lines `from` to `to` (exclusive) become `lines`. */
export interface Region {
  from: number;
  to: number;
  lines: string[];
}

/** Beyond this many edits two texts count as too different to be merged. */
const maxEdits = 5_000;

/** What `ours` becomes when the change from `base` to `theirs` is made to it; null when both changed the same place. */
export function mergeBytes(base: Buffer, ours: Buffer, theirs: Buffer): Buffer | null {
  if (ours.equals(theirs) || base.equals(theirs)) return ours;
  if (base.equals(ours)) return theirs;
  if ([base, ours, theirs].some((bytes) => bytes.includes(0))) return null;
  const old = lines(base);
  const mine = regions(old, lines(ours));
  const other = regions(old, lines(theirs));
  if (!mine || !other) return null;
  const all = [...mine, ...other].sort((a, b) => a.from - b.from || a.to - b.to);
  const out: string[] = [];
  let at = 0;
  let before: Region | undefined;
  for (const region of all) {
    if (before && region.from <= before.to) {
      if (same(before, region)) continue;
      return null;
    }
    out.push(...old.slice(at, region.from), ...region.lines);
    at = region.to;
    before = region;
  }
  out.push(...old.slice(at));
  return Buffer.from(out.join(""), "latin1");
}

/** With their line ends, so that joining them gives the text again. */
export function lines(bytes: Buffer): string[] {
  return bytes.toString("latin1").match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

export function regions(old: string[], fresh: string[]): Region[] | null {
  const parts = diffArrays(old, fresh, { maxEditLength: maxEdits });
  if (!parts) return null;
  return blocksOf(parts, 0).map(({ at, removed, added }) => ({ from: at, to: at + removed.length, lines: added }));
}

function same(a: Region, b: Region): boolean {
  return a.from === b.from && a.to === b.to && a.lines.join("") === b.lines.join("");
}
