// Code in colours. highlight.js gives names of classes, which are mapped to the styles of the theme.
// Until its code is loaded, and for languages it does not know, code is plain: loading never holds up a frame.

import { once } from "../../lib/once.js";
import { type Line, line, type Span, span } from "./span.js";
import type { Style } from "./theme.js";

type Highlighter = (text: string, language: string) => { html: string; closed: boolean } | null;

let highlighter: Highlighter | undefined;

/** Loads the grammars; resolves when code has colours. */
export const loadHighlighter = once(async () => {
  highlighter = (await import("./grammars.js")).highlighted;
});

/** Longest text that is coloured; beyond that reading it would be felt. */
const longest = 50_000;

export function codeLines(text: string, language: string): Line[] {
  return coloured(text, language).lines;
}

/** `closed`: no comment or string is open at the end, so what follows can be read by itself. */
export function coloured(text: string, language: string): { lines: Line[]; closed: boolean } {
  const name = language.trim().toLowerCase().split(/\s/)[0] ?? "";
  const made = text.length > longest ? null : (highlighter?.(text, name) ?? null);
  return made === null
    ? { lines: text.split("\n").map((each) => line(each, "code")), closed: true }
    : { lines: fromHtml(made.html), closed: made.closed };
}

const styleOf: readonly [RegExp, Style][] = [
  [/^hljs-(keyword|literal|selector-tag|meta-keyword|operator)/, "keyword"],
  [/^hljs-(string|regexp|char|template|addition|symbol|link|meta string)/, "string"],
  [/^hljs-(number|variable.constant)/, "number"],
  [/^hljs-(comment|quote|meta|deletion)/, "comment"],
  [/^hljs-(title|name|section|function|attr|attribute|property|selector)/, "name"],
  [/^hljs-(type|built_in|class|params|tag|doctag)/, "type"],
];

/** The spans of highlight.js as ours. Inside a template an outer style comes back when an inner one ends. */
function fromHtml(html: string): Line[] {
  const made: Span[][] = [[]];
  const outer: Style[] = ["plain"];
  for (const [, opened, closed, text] of html.matchAll(/<span class="([^"]*)">|(<\/span>)|([^<]+)/g)) {
    if (opened !== undefined) outer.push(styleOf.find(([fits]) => fits.test(opened))?.[1] ?? outer.at(-1) ?? "plain");
    else if (closed !== undefined) outer.pop();
    else {
      for (const [at, each] of decoded(text ?? "")
        .split("\n")
        .entries()) {
        if (at > 0) made.push([]);
        if (each !== "") made.at(-1)?.push(span(each, outer.at(-1) ?? "plain"));
      }
    }
  }
  return made;
}

function decoded(html: string): string {
  return html
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&quot;/g, '"')
    .replace(/&#x27;/g, "'")
    .replace(/&amp;/g, "&");
}
