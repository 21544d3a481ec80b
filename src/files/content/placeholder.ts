// Finds comments that stand for left-out code: "... rest of the code", "existing code unchanged", "snip". Pure.
// Invariant: only what is in comment position and says nothing else counts. Prose, TODO and FIXME, spreads, bare `...`
// bodies and honest comments ("same as before" beside code) do not. A doubtful phrase counts only as the whole of a block.
// `replaced` tells where such a marker came in the place of code; what follows from that is decided elsewhere (hygiene.ts).

import { type CommentLine, commentLines } from "./comments.js";
import { languageOf } from "./language.js";
import { omission, omissionHint } from "./omission.js";

export interface Marker {
  /** 1-based. */
  line: number;
  /** The comment, without delimiters. */
  text: string;
}

/** One place where code went and a marker came. */
export interface Loss extends Marker {
  /** Lines of code that vanish there, net. */
  lost: number;
}

const everyHint = new RegExp(omissionHint, "gi");
/** Characters of a line that is looked at; comments of this kind are short. */
const longest = 400;

/** Where a comment can begin or end within a line, in any language. */
const delimiters = /\/\/+|\/\*+|\*+\/|#+\}?|--+>?|<!--|[;%]+|"""|'''|\{\{!|\}\}|[{}]/;

/** A quick look whether a text could hold a marker at all; what it lets pass is then scanned for comments. */
export function mayHoldPlaceholder(text: string): boolean {
  for (const { index } of text.matchAll(everyHint)) {
    const line = lineAround(text, index);
    if (line === null) continue;
    if ([line.replace(/^[\s*]+/, ""), ...line.split(delimiters)].some((part) => omission(part) !== null)) return true;
  }
  return false;
}

/** The line around a place; null when it is too long. */
function lineAround(text: string, at: number): string | null {
  const before = text.slice(Math.max(0, at - longest - 1), at);
  const behind = text.slice(at, at + longest + 1);
  const line = before.slice(before.lastIndexOf("\n") + 1) + (behind.split("\n", 1)[0] ?? "");
  return line.length > longest ? null : line;
}

/** The markers in a whole file, in order. `path` decides what a comment is. */
export function findPlaceholders(path: string, text: string): Marker[] {
  if (!mayHoldPlaceholder(text)) return [];
  const comments = commentLines(path, text);
  const example = new Examples();
  const markers: Marker[] = [];
  let lines: string[] | undefined;
  for (const [i, comment] of comments.entries()) {
    if (example.covers(comment)) continue;
    const said = omission(comment.text);
    if (said === null) continue;
    lines ??= text.split("\n");
    if (said.sure ? !runsOn(comments, i) || said.marked : isWholeBlock(lines, comment)) {
      markers.push({ line: comment.line, text: comment.text });
    }
  }
  return markers;
}

/** The line is a part of running text in its comment, not a note of its own. */
function runsOn(comments: readonly CommentLine[], i: number): boolean {
  const here = comments[i] as CommentLine;
  const [before, after] = [comments[i - 1], comments[i + 1]];
  const goesOn = before?.group === here.group && /\w \w./.test(before.text) && /[^.!?:;*=-]$/.test(before.text);
  return goesOn || (after?.group === here.group && /^[a-z(]\w* \w/.test(after.text));
}

/** Nothing but this comment stands between what opens a block and what closes it. */
function isWholeBlock(lines: readonly string[], { line, alone }: CommentLine): boolean {
  if (!alone) return false;
  const here = lines[line - 1] ?? "";
  const before = lines[line - 2]?.trim() ?? "";
  const after = lines[line] ?? "";
  if (!/(?:[{([]|=>|\b(?:then|do|else)|[^?:]:)$/.test(before)) return false;
  return /^\s*(?:[})\]]|end\b|fi\b|done\b|esac\b|$)/.test(after) || indent(after) < indent(here);
}

function indent(line: string): number {
  return line.length - line.trimStart().length;
}

/** Code quoted in documentation leaves things out rightly: fences and `@example` inside comments. */
class Examples {
  #group = -1;
  #fenced = false;
  #example = false;

  covers({ group, text }: CommentLine): boolean {
    if (group !== this.#group) {
      this.#group = group;
      this.#fenced = false;
      this.#example = false;
    }
    if (/^(?:```|~~~)/.test(text)) {
      this.#fenced = !this.#fenced;
      return true;
    }
    if (/^@\w/.test(text)) this.#example = text.startsWith("@example");
    return this.#fenced || this.#example;
  }
}

// --- code replaced by markers ----------------------------------------------------------------------------------------

/** SPEC 1.10: fewer lines may go with a comment like that. */
const minLost = 5;

/**
 * Markers of `after` that are new and came where at least five lines of code vanish net. `diff` leads from `before` to
 * `after`, with any context.
 */
export function replaced(path: string, before: string, diff: string, markers: readonly Marker[]): Loss[] {
  if (markers.length === 0) return [];
  const old = new Set(before.split("\n").map((line) => line.trim()));
  return spotsOf(diff).flatMap(({ added, removed }) => {
    const marker = markers.find(({ line }) => {
      const text = added.get(line);
      return text !== undefined && !old.has(text.trim());
    });
    if (!marker) return [];
    const lost = codeLines(path, removed) - codeLines(path, [...added.values()]);
    return lost >= minLost ? [{ ...marker, lost }] : [];
  });
}

/** The markers on lines that the diff adds. */
export function addedMarkers(diff: string, markers: readonly Marker[]): Marker[] {
  if (markers.length === 0) return [];
  const added = new Set(spotsOf(diff).flatMap((spot) => [...spot.added.keys()]));
  return markers.filter(({ line }) => added.has(line));
}

interface Spot {
  /** New lines by their number. */
  added: Map<number, string>;
  removed: string[];
  /** The first old line behind it, as far as known. */
  end: number;
}

/** Changes at most so many unchanged lines apart are one spot: a differ keeps a brace or a blank line it finds on the way. */
const near = 2;

function spotsOf(diff: string): Spot[] {
  const spots: Spot[] = [];
  let [line, old] = [0, 0];
  const here = () => {
    const last = spots.at(-1);
    if (last && old - last.end <= near) return last;
    const spot = { added: new Map<number, string>(), removed: [], end: old };
    spots.push(spot);
    return spot;
  };
  for (const row of diff.split("\n")) {
    const head = /^@@ -(\d+)(,0)?(?:,\d+)? \+(\d+)(,0)?/.exec(row);
    if (head) {
      // An empty range names the line before it.
      old = Number(head[1]) + (head[2] ? 1 : 0);
      line = Number(head[3]) + (head[4] ? 1 : 0);
    } else if (row.startsWith("-")) {
      const spot = here();
      spot.removed.push(row.slice(1));
      spot.end = ++old;
    } else if (row.startsWith("+")) {
      const spot = here();
      spot.added.set(line++, row.slice(1));
      spot.end = old;
    } else {
      line++;
      old++;
    }
  }
  return spots;
}

/** Lines that are neither blank nor wholly comment. */
function codeLines(path: string, lines: readonly string[]): number {
  const isProse = languageOf(path).nature === "prose";
  const comment = isProse ? /^<!--/ : /^(?:\/\/|\/\*|\*[\s/]|\*$|#(?!\w|\[)|--\s|;|%|<!--|\{\/\*)/;
  return lines.filter((line) => line.trim() !== "" && !comment.test(line.trim())).length;
}
