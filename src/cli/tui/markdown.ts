// Markdown as lines; growing-markdown.ts does it for a text that is still arriving.
// Invariants: a link whose text hides where it leads shows its target; nothing is fetched; whatever is no Markdown is text.

import type { Token, Tokens } from "marked";
import { codeLines } from "./highlight.js";
import { markdownTokens } from "./markdown-tokens.js";
import { type Line, line, lines, type Span, span, textOfLine, widthOf, wrap, wrapAll } from "./span.js";
import type { Style } from "./theme.js";

export function markdownLines(text: string, width: number): Line[] {
  return blocksOf(markdownTokens(text), width);
}

/** Blocks one below the other, with a blank line between them. */
export function blocksOf(tokens: readonly Token[], width: number): Line[] {
  const blocks = tokens.filter(({ type }) => type !== "space" && type !== "def").map((token) => block(token, width));
  return blocks.filter((made) => made.length > 0).flatMap((made, at) => (at > 0 ? [[], ...made] : made));
}

function block(token: Token, width: number): Line[] {
  switch (token.type) {
    case "heading":
      return paragraph((token as Tokens.Heading).tokens, width, "heading");
    case "paragraph":
      return paragraph((token as Tokens.Paragraph).tokens, width);
    case "text":
      return paragraph((token as Tokens.Text).tokens ?? [token], width);
    case "code":
      return code(token as Tokens.Code, width);
    case "list":
      return list(token as Tokens.List, width);
    case "blockquote":
      return quote(token as Tokens.Blockquote, width);
    case "table":
      return table(token as Tokens.Table, width);
    case "hr":
      return [line("─".repeat(Math.max(1, Math.min(width, 40))), "dim")];
    default:
      return wrapAll(lines(token.raw.trimEnd()), width);
  }
}

function paragraph(tokens: readonly Token[], width: number, style: Style = "plain"): Line[] {
  return split(inline(tokens, style)).flatMap((each) => wrap(each, width));
}

function code({ text, lang }: Tokens.Code, width: number): Line[] {
  return indented(codeLines(text, lang ?? ""), width);
}

/** Code stands a little to the right. */
export function indented(all: readonly Line[], width: number): Line[] {
  const bar: Line = [span("  ")];
  return all.flatMap((each) => wrap(each, width, { first: bar }));
}

export function list({ items, ordered, start }: Tokens.List, width: number): Line[] {
  return items.flatMap((item, at) => {
    const mark = ordered ? `${Number(start || 1) + at}. ` : item.task ? (item.checked ? "☑ " : "☐ ") : "• ";
    const indent: Line = [span(" ".repeat(mark.length))];
    const said = item.tokens.filter(({ type }) => type !== "checkbox");
    const inner = said.flatMap((token) => block(token, Math.max(1, width - mark.length)));
    const shown: Line[] = inner.length > 0 ? inner : [[]];
    if (width <= mark.length + 1) return shown;
    return shown.map((each, row) => [...(row === 0 ? [span(mark, "accent")] : indent), ...each]);
  });
}

function quote({ tokens }: Tokens.Blockquote, width: number): Line[] {
  return blocksOf(tokens, Math.max(1, width - 2)).map((each) =>
    width > 3
      ? [span("│ ", "dim"), ...each.map((part) => (part.style === "plain" ? { ...part, style: "dim" as const } : part))]
      : each,
  );
}

function table({ header, rows }: Tokens.Table, width: number): Line[] {
  const cells = [header, ...rows].map((row) => row.map(({ tokens }) => split(inline(tokens)).flat()));
  return columns(cells, width);
}

/** Rows in columns, the first one as their heading; on a narrow screen each row becomes a list. */
export function columns(cells: readonly (readonly Line[])[], width: number): Line[] {
  const [head = []] = cells;
  const wide = head.map((_, at) => Math.max(...cells.map((row) => widthOf(row[at] ?? []))));
  const gaps = 2 * Math.max(0, wide.length - 1);
  const fair = Math.floor((width - gaps) / Math.max(1, wide.length));
  if (fair < 4) return cells.slice(1).flatMap((row) => row.flatMap((cell) => wrap(cell, width)));
  const widths = shrunk(wide, width - gaps);
  const drawn = cells.flatMap((row, at) => rowOf(row, widths, at === 0));
  const rule = line("─".repeat(widths.reduce((sum, each) => sum + each, gaps)), "dim");
  const heading = rowOf(head, widths, true).length;
  return [...drawn.slice(0, heading), rule, ...drawn.slice(heading)];
}

function rowOf(row: readonly Line[], widths: readonly number[], heading: boolean): Line[] {
  const wrapped = widths.map((width, at) => wrap(row[at] ?? [], width));
  const height = Math.max(1, ...wrapped.map((cell) => cell.length));
  return Array.from({ length: height }, (_, at) =>
    widths.flatMap((width, column) => {
      const cell = wrapped[column]?.[at] ?? [];
      const last = column === widths.length - 1;
      const shown = heading ? cell.map((each) => ({ ...each, style: "bold" as const })) : cell;
      return last ? shown : [...shown, span(" ".repeat(width - widthOf(cell) + 2))];
    }),
  );
}

/** The widest columns give way first. */
function shrunk(wide: readonly number[], room: number): number[] {
  const widths = [...wide];
  for (let over = widths.reduce((sum, each) => sum + each, 0) - room; over > 0; over--) {
    const widest = widths.indexOf(Math.max(...widths));
    widths[widest] = (widths[widest] ?? 1) - 1;
  }
  return widths;
}

const breakMark = "\n";

/** Spans; a span that is a line feed alone stands for a break. */
function inline(tokens: readonly Token[], style: Style = "plain"): (Span | typeof breakMark)[] {
  return tokens.flatMap((token): (Span | typeof breakMark)[] => {
    switch (token.type) {
      case "strong":
        return inline((token as Tokens.Strong).tokens, style === "plain" ? "bold" : style);
      case "em":
        return inline((token as Tokens.Em).tokens, style === "plain" ? "italic" : style);
      case "del":
        return inline((token as Tokens.Del).tokens, "struck");
      case "codespan":
        return [span((token as Tokens.Codespan).text, "code")];
      case "br":
        return [breakMark];
      // The mark of its item shows it.
      case "checkbox":
        return [];
      case "link":
        return link(token as Tokens.Link, style);
      case "image":
        return [span(`[${(token as Tokens.Image).text || "image"}] ${(token as Tokens.Image).href}`, "dim")];
      case "text":
      case "escape": {
        const { tokens: inner, text } = token as Tokens.Text;
        return inner ? inline(inner, style) : inLines(text, style);
      }
      default:
        return inLines(token.raw, style);
    }
  });
}

function inLines(text: string, style: Style): (Span | typeof breakMark)[] {
  return text.split("\n").flatMap((each, at) => (at > 0 ? [span(" ", style), span(each, style)] : [span(each, style)]));
}

function link({ href, tokens }: Tokens.Link, style: Style): (Span | typeof breakMark)[] {
  const shown = inline(tokens, style === "plain" ? "link" : style).filter((each) => each !== breakMark);
  const text = textOfLine(shown);
  const linked = shown.map((each) => ({ ...each, link: span(href).text }));
  const same = [href, href.replace(/^mailto:/, "")].includes(text);
  return same
    ? linked
    : [...linked, span(" (", "dim"), { ...span(href, "dim"), link: span(href).text }, span(")", "dim")];
}

function split(all: readonly (Span | typeof breakMark)[]): Line[] {
  const made: Span[][] = [[]];
  for (const each of all) {
    if (each === breakMark) made.push([]);
    else made.at(-1)?.push(each);
  }
  return made;
}
