// What a text that was not found probably meant: the most similar place in the file, with line numbers and differences.
// Pure, bounded (20,000 lines of file, 200 of text) and only a hint: nothing is ever changed because of it.

import { cutLine } from "../../lib/truncate.js";
import { linesOf } from "../text.js";

const maxFileLines = 20_000;
const maxWantedLines = 200;
const maxShown = 12;

/** A sentence with the best candidate, or an empty string when nothing in the file is similar. */
export function nearMiss(text: string, wanted: string): string {
  const file = linesOf(text).slice(0, maxFileLines);
  const lines = linesOf(wanted).slice(0, maxWantedLines);
  const at = bestPlace(file, lines);
  if (at === null) return "";
  const start = Math.max(0, at);
  const found = file.slice(start, at + lines.length);
  const sought = lines.slice(start - at);
  const where = found.length === 1 ? `line ${start + 1}` : `lines ${start + 1}-${start + found.length}`;
  const differences = comparison(found, sought);
  if (differences === "") return ` The most similar text is ${where}, which differs only in its last line end.`;
  const same = found.every((line, i) => squeezed(line) === squeezed(sought[i] ?? ""));
  const what = same ? ", which differs only in white space" : "";
  return ` The most similar text is ${where}${what} (- as given, + as in the file):\n${differences}`;
}

function comparison(found: readonly string[], sought: readonly string[]): string {
  const out: string[] = [];
  for (let i = 0; i < sought.length && out.length < maxShown; i++) {
    const given = sought[i] ?? "";
    const real = found[i];
    if (given === real) continue;
    out.push(`-${cutLine(given, 200)}`);
    if (real !== undefined) out.push(`+${cutLine(real, 200)}`);
  }
  return out.join("\n");
}

/** Index of the file line that should face the first wanted line (may be negative), or null. */
function bestPlace(file: readonly string[], wanted: readonly string[]): number | null {
  const votes = new Map<number, number>();
  const places = new Map<string, number[]>();
  for (const [i, line] of file.entries()) {
    const key = squeezed(line);
    if (key.length < 3) continue;
    const known = places.get(key);
    if (known) known.push(i);
    else places.set(key, [i]);
  }
  for (const [i, line] of wanted.entries()) {
    const at = places.get(squeezed(line)) ?? [];
    // A line that stands everywhere says little about where.
    for (const place of at.slice(0, 50)) votes.set(place - i, (votes.get(place - i) ?? 0) + 1 / at.length);
  }
  let best: number | null = null;
  let most = 0;
  for (const [place, count] of votes) if (count > most) [best, most] = [place, count];
  return best ?? mostSimilar(file, wanted);
}

function mostSimilar(file: readonly string[], wanted: readonly string[]): number | null {
  let longest = 0;
  for (const [i, line] of wanted.entries()) {
    if (line.trim().length > (wanted[longest] ?? "").trim().length) longest = i;
  }
  const target = pairs((wanted[longest] ?? "").trim());
  if (target.size < 3) return null;
  let best: number | null = null;
  let most = 0.5;
  for (const [i, line] of file.slice(0, 5_000).entries()) {
    const score = similarity(target, pairs(line.trim().slice(0, 400)));
    if (score > most) [best, most] = [i - longest, score];
  }
  return best;
}

function squeezed(line: string): string {
  return line.replace(/\s+/g, "");
}

function pairs(text: string): Set<string> {
  const found = new Set<string>();
  for (let i = 0; i + 1 < text.length; i++) found.add(text.slice(i, i + 2));
  return found;
}

/** Dice coefficient, 0 to 1. */
function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size + b.size === 0) return 0;
  let common = 0;
  for (const pair of a) if (b.has(pair)) common++;
  return (2 * common) / (a.size + b.size);
}
