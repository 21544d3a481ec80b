// Where an old text stands that is not there as given: three named differences are looked past, one after the other.
//   quotes       curly and straight
//   blanks       at line ends
//   indentation  tabs or spaces at line starts, a tab for 2, 4 or 8 spaces (with both of the above)
// Pure. Invariant: it answers only when there is exactly one such place, and what old and new text have in common is not
// replaced, so quotes and blanks of the file stay wherever the edit does not speak of them.

import type { Replacement } from "../../lib/diff.js";
import { occurrencesOf } from "../../lib/occurrences.js";
import { below } from "../../lib/sorted.js";

export interface Loose {
  /** The one place, or empty: then `starts` are the several there are. */
  change: Replacement | null;
  starts: number[];
  /** What was looked past. */
  note: string;
}

interface Rule {
  quotes?: true;
  blanks?: true;
  tab?: number;
  note: string;
}

const quotesNote = "curly and straight quotes taken as the same";
const blanksNote = "blanks at line ends disregarded";
const tabsNote = (tab: number) => `a tab at the start of a line taken as ${tab} spaces`;

const rules: readonly Rule[] = [
  { quotes: true, note: quotesNote },
  { blanks: true, note: blanksNote },
  { quotes: true, blanks: true, note: `${quotesNote}, ${blanksNote}` },
  ...[4, 2, 8].map((tab): Rule => ({ quotes: true, blanks: true, tab, note: tabsNote(tab) })),
];

/** Longer texts are searched for exact matches only. */
export const maxText = 2 * 1024 * 1024;

/** `text` and `wanted` with any line ends; null when no rule finds `wanted` in `text`. */
export function looseMatch(text: string, wanted: string, fresh: string): Loose | null {
  if (text.length > maxText || wanted.trim() === "") return null;
  for (const rule of rules) {
    const file = plain(text, rule);
    const old = plain(wanted, rule);
    if (old.text.trim() === "") continue;
    const places = placesOf(file, old.text);
    if (places.length === 0) continue;
    const starts = places.map((at) => file.from[at] as number);
    const [place] = places;
    if (places.length > 1 || place === undefined) return { change: null, starts, note: rule.note };
    return { change: changeAt(place, { text, file, wanted, old, fresh, rule }), starts, note: rule.note };
  }
  return null;
}

/** A text without the differences, and for each of its characters where it came from. */
interface Plain {
  text: string;
  /** One more than characters: the last is the length of the original. */
  from: Int32Array;
}

function plain(text: string, { quotes, blanks, tab }: Rule): Plain {
  const parts: string[] = [];
  const from: number[] = [];
  const add = (part: string, at: number) => {
    parts.push(part);
    for (let i = 0; i < part.length; i++) from.push(at);
  };
  let indent = true;
  for (let at = 0; at < text.length; at++) {
    const unit = text[at] as string;
    if (unit === "\r" && text[at + 1] === "\n") continue;
    if (blanks && (unit === " " || unit === "\t") && isTrailing(text, at)) continue;
    if (tab && indent && unit === "\t") add(" ".repeat(tab), at);
    else add(quotes ? (straight[unit] ?? unit) : unit, at);
    indent = unit === "\n" || (indent && (unit === " " || unit === "\t"));
  }
  from.push(text.length);
  return { text: parts.join(""), from: Int32Array.from(from) };
}

const straight: Record<string, string> = {
  "\u2018": "'",
  "\u2019": "'",
  "\u201a": "'",
  "\u201b": "'",
  "\u201c": '"',
  "\u201d": '"',
  "\u201e": '"',
  "\u201f": '"',
};

/** Nothing but blanks from here to a line end. A text that merely stops here is not at a line end. */
function isTrailing(text: string, at: number): boolean {
  let end = at;
  while (text[end] === " " || text[end] === "\t") end++;
  return end === text.length || text[end] === "\n" || (text[end] === "\r" && text[end + 1] === "\n");
}

function placesOf(file: Plain, wanted: string): number[] {
  const isWhole = (at: number) => isEdge(file, at) && isEdge(file, at + wanted.length);
  return occurrencesOf(file.text, wanted).filter(isWhole);
}

/** Not in the middle of a tab. */
function isEdge({ from }: Plain, at: number): boolean {
  return at === 0 || from[at] !== from[at - 1];
}

interface Match {
  text: string;
  file: Plain;
  wanted: string;
  old: Plain;
  fresh: string;
  rule: Rule;
}

function changeAt(place: number, { text, file, wanted, old, fresh, rule }: Match): Replacement {
  const shorter = Math.min(wanted.length, fresh.length);
  let head = 0;
  while (head < shorter && wanted[head] === fresh[head]) head++;
  let tail = 0;
  while (tail < shorter - head && wanted[wanted.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail++;
  while (head > 0 && !isEdge(file, place + at(old, head))) head--;
  while (tail > 0 && !isEdge(file, place + at(old, wanted.length - tail))) tail--;
  const first = place + at(old, head);
  const last = place + at(old, wanted.length - tail);
  // From behind the last character that is kept, up to the last that goes: blanks behind either stay where they are.
  const start = first > place ? (file.from[first - 1] as number) + 1 : (file.from[first] as number);
  const end = Math.max(start, last === 0 ? 0 : (file.from[last - 1] as number) + 1);
  const put = fresh.slice(head, fresh.length - tail);
  const isAtStart = head === 0 || fresh[head - 1] === "\n" || /(?:^|\n)[ \t]*$/.test(fresh.slice(0, head));
  const matched = text.slice(file.from[place] as number, file.from[place + old.text.length] as number);
  return { start, end, text: rule.tab ? indented(put, rule.tab, /(?:^|\n) *\t/.test(matched), isAtStart) : put };
}

/** How many plain characters come from before `position` of the original. */
function at({ from }: Plain, position: number): number {
  return below(from, position);
}

/** Line starts as the file has them. */
function indented(text: string, tab: number, withTabs: boolean, isAtStart: boolean): string {
  const lines = text.split("\n");
  return lines
    .map((line, i) => {
      if (i === 0 && !isAtStart) return line;
      const blank = /^[ \t]*/.exec(line)?.[0] ?? "";
      const wide = blank.replaceAll("\t", " ".repeat(tab));
      const kept = withTabs ? "\t".repeat(Math.floor(wide.length / tab)) + " ".repeat(wide.length % tab) : wide;
      return kept + line.slice(blank.length);
    })
    .join("\n");
}
