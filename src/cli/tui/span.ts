// Text as it is laid out: a line is spans, a span is safe text in one style. Wrapping and cutting are done here, on
// characters as a reader sees them, before any escape sequence exists (theme.ts makes those).
// Invariant: a span's text is safe and has neither line feeds nor tabs, so its width is what the terminal will take.

import { type SafeText, safeText } from "../../lib/safe-text.js";
import type { Picture } from "./picture.js";
import type { Style } from "./theme.js";
import { getSegmenter, isNarrow, visibleWidth } from "./toolkit.js";

export interface Span {
  readonly text: SafeText;
  readonly style: Style;
  /** Where the text leads, for terminals that know links. */
  readonly link?: SafeText;
  /** Whose last row this is; drawn when the row is drawn for good. */
  readonly picture?: Picture;
}

export type Line = readonly Span[];

/** The rows of a picture. */
export function pictureLines(picture: Picture): Line[] {
  return [...Array<Line>(picture.rows - 1).fill([]), [{ ...span(""), picture }]];
}

/** One line's worth of any text. */
export function span(text: string, style: Style = "plain", link?: string): Span {
  const made = { text: flat(text), style };
  return link === undefined ? made : { ...made, link: flat(link) };
}

export function line(text: string, style: Style = "plain"): Line {
  return [span(text, style)];
}

/** The lines of a text, each in one style. */
export function lines(text: string, style: Style = "plain"): Line[] {
  return text.split("\n").map((each) => line(each, style));
}

export function widthOf(line: Line): number {
  let width = 0;
  for (const { text } of line) width += visibleWidth(text);
  return width;
}

export function textOfLine(line: Line): string {
  return line.map(({ text }) => text).join("");
}

/** Cut to `width` columns, with "…" where something is missing. */
export function cut(line: Line, width: number): Line {
  if (width <= 0) return [];
  if (widthOf(line) <= width) return line;
  const kept: Span[] = [];
  let room = width - 1;
  for (const each of line) {
    const text = beginning(each.text, room);
    kept.push({ ...each, text });
    if (text.length < each.text.length) break;
    room -= visibleWidth(text);
  }
  return [...kept, span("…", kept.at(-1)?.style ?? "plain")];
}

export interface Wrapping {
  /** Before the first line, and before every other one. */
  first?: Line;
  rest?: Line;
}

/** Broken at blanks where there are any; a word that is longer than a line is broken anywhere. */
export function wrap(line: Line, width: number, { first = [], rest = first }: Wrapping = {}): Line[] {
  const inside = Math.max(widthOf(first), widthOf(rest));
  // Where an indent would leave no room it is left out: one column still shows text.
  if (width - inside < 2 && inside > 0) return wrap(line, width);
  const made = broken(line, Math.max(1, width - inside));
  return made.map((each, at) => [...(at === 0 ? first : rest), ...each]);
}

/** Several lines, each with the same indent. */
export function wrapAll(all: readonly Line[], width: number, wrapping?: Wrapping): Line[] {
  return all.flatMap((each, at) =>
    wrap(each, width, at === 0 || !wrapping ? wrapping : { first: wrapping.rest ?? [], rest: wrapping.rest ?? [] }),
  );
}

function broken(line: Line, width: number): Line[] {
  if (widthOf(line) <= width) return [line];
  const done: Line[] = [];
  let current: Span[] = [];
  let used = 0;
  const next = () => {
    done.push(trimmedEnd(current));
    current = [];
    used = 0;
  };
  for (const piece of words(line)) {
    const taken = visibleWidth(piece.text);
    const blank = piece.text.trim() === "";
    if (used + taken > width && used > 0 && !blank) next();
    if (blank && used === 0 && done.length > 0) continue;
    if (taken <= width || blank) {
      if (used + taken > width) continue;
      current.push(piece);
      used += taken;
      continue;
    }
    for (const part of chopped(piece, width)) {
      if (used > 0) next();
      current.push(part);
      used = visibleWidth(part.text);
    }
  }
  done.push(trimmedEnd(current));
  return done.map(joined);
}

function trimmedEnd(line: readonly Span[]): Span[] {
  const last = line.at(-1);
  return last && last.text.trim() === "" && line.length > 1 ? line.slice(0, -1) : [...line];
}

/** Neighbours of one style become one span: fewer sequences are written. */
function joined(line: readonly Span[]): Line {
  const made: Span[] = [];
  for (const each of line) {
    const last = made.at(-1);
    if (last && last.style === each.style && last.link === each.link) {
      made[made.length - 1] = { ...last, text: `${last.text}${each.text}` as SafeText };
    } else made.push(each);
  }
  return made;
}

function* words(line: Line): Generator<Span> {
  for (const each of line) {
    for (const [text] of each.text.matchAll(/ +|[^ ]+/g)) yield { ...each, text: text as SafeText };
  }
}

function chopped(piece: Span, width: number): Span[] {
  return rowsOf(piece.text, width).map((text) => ({ ...piece, text }));
}

/**
 * Broken where a row is full, at least one character in each; one that is wider than a row is shown as "…". One pass: a line may
 * be a megabyte long.
 */
export function rowsOf(text: SafeText, width: number): SafeText[] {
  const rows: string[] = [];
  if (isNarrow(text)) {
    for (let at = 0; at < text.length; at += width) rows.push(text.slice(at, at + width));
    return rows as SafeText[];
  }
  let [row, used] = ["", 0];
  for (const { segment } of getSegmenter().segment(text)) {
    const wide = visibleWidth(segment);
    const [shown, taken] = wide > width ? ["…", 1] : [segment, wide];
    if (used + taken > width && row !== "") {
      rows.push(row);
      [row, used] = ["", 0];
    }
    row += shown;
    used += taken;
  }
  return [...rows, row] as SafeText[];
}

/** As much of the text as fits. */
function beginning(text: SafeText, width: number): SafeText {
  if (isNarrow(text)) return text.slice(0, Math.max(0, width)) as SafeText;
  let used = 0;
  let end = 0;
  for (const { segment, index } of getSegmenter().segment(text)) {
    used += visibleWidth(segment);
    if (used > width) break;
    end = index + segment.length;
  }
  return text.slice(0, end) as SafeText;
}

function flat(text: string): SafeText {
  return safeText(text.replace(/\t/g, "  ").replace(/\r\n?|\n/g, " ")) as SafeText;
}
