// The comments of a source text, line by line, found by scanning for comments and strings and nothing else.
// Invariant: what stands in a string, a template or a regular expression is no comment; where the scan goes astray
// (exotic quoting) it loses a comment rather than invents one. Bounded by one pass over the text.
// Not here: what a comment says (placeholder.ts), which language a path is (language.ts).

import { languageOf, type Syntax } from "./language.js";

export interface CommentLine {
  /** 1-based. */
  line: number;
  /** Without delimiters and the decoration of block comments, trimmed. */
  text: string;
  /** Nothing else stands on the line. */
  alone: boolean;
  /** Neighbours with the same number belong to one block, or to lines of comment that follow each other. */
  group: number;
}

const { raw } = String;
/** A quote begins a string only at the start of a word or behind a prefix like `f` or `rb`: "don't" is none. */
const prefix = raw`(?<![\w\\])[A-Za-z]{0,2}`;
const double = raw`${prefix}"[^"\\\n]*(?:\\[\s\S][^"\\\n]*)*"?`;
const quoted = raw`${double}|${prefix}'[^'\\\n]*(?:\\[\s\S][^'\\\n]*)*'?`;
const character = raw`${double}|'(?:\\[^\n]{1,8}?|[^'\\\n])'`;
const template = raw`\x60[^\x60\\]*(?:\\[\s\S][^\x60\\]*)*\x60?`;
const operand = raw`(?<=(?:^|[(,=:[!&|?{};+*%~]|\b(?:return|typeof|case|in|of|do|else))[ \t]*)`;
const regex = raw`${operand}/(?![*/])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/`;
const end = raw`$(?![\s\S])`;
const block = raw`(?<block>/\*[\s\S]*?(?:\*/|${end}))`;
const slashes = raw`(?<line>//[^\n]*)`;
const hash = raw`(?<!\S)(?<line>#[^\n]*)`;
const triple = raw`"""[\s\S]*?(?:"""|${end})|'''[\s\S]*?(?:'''|${end})`;
const doc = raw`(?<doc>(?<=^[ \t]*[rRuU]?)(?:${triple}))|${triple}`;
const markup = raw`(?<block><!--[\s\S]*?(?:-->|${end})|\{#[^\n]*?#\}|\{\{!--[\s\S]*?--\}\}|\{\{![^\n]*?\}\}|<%#[\s\S]*?%>|<%--[\s\S]*?--%>)`;

/** Alternatives of one pattern per family; what matches without a named group is a string and is passed over. */
const patterns: Record<Exclude<Syntax, "prose">, string> = {
  script: raw`${slashes}|${block}|${quoted}|${template}|${regex}`,
  slash: raw`${slashes}|${block}|${character}|${template}`,
  style: raw`${block}|${quoted}`,
  hash: raw`${doc}|${quoted}|${hash}|(?<block><#[\s\S]*?#>)`,
  dash: raw`(?<block>--\[\[[\s\S]*?\]\]|\{-[\s\S]*?-\}|/\*[\s\S]*?\*/)|(?<line>--[^\n]*)|${quoted}`,
  lisp: raw`(?<line>;[^\n]*)|${character}`,
  percent: raw`(?<!\\)(?<line>%[^\n]*)|${character}`,
  markup,
  line: raw`(?<=^[ \t]*)(?:(?<line>(?://|#|--|;|%)[^\n]*)|${block}|(?<block2><!--[\s\S]*?-->))`,
};
const compiled = new Map<Syntax, RegExp>();

/** Every line of every comment of `text`, in order. Prose has comments only as `<!-- -->` outside fences. */
export function commentLines(path: string, text: string): CommentLine[] {
  const { syntax } = languageOf(path);
  const found = new Collector(text);
  if (syntax === "prose") scan(found, "markup", unfenced(text), 0);
  else scan(found, syntax, text, 0);
  if (syntax === "markup") {
    for (const part of text.matchAll(/<(script|style)\b[^>]*>([\s\S]*?)<\/\1\s*>/gi)) {
      const start = part.index + part[0].indexOf(">") + 1;
      scan(found, part[1]?.toLowerCase() === "style" ? "style" : "script", part[2] ?? "", start);
    }
  }
  return found.lines.sort((a, b) => a.line - b.line);
}

function scan(found: Collector, syntax: Exclude<Syntax, "prose">, text: string, offset: number): void {
  let pattern = compiled.get(syntax);
  if (!pattern) {
    pattern = new RegExp(patterns[syntax], "gm");
    compiled.set(syntax, pattern);
  }
  for (const match of text.matchAll(pattern)) {
    const { line, block, block2, doc } = match.groups ?? {};
    const body = line ?? block ?? block2 ?? doc;
    if (body !== undefined) found.add(offset + match.index, body, line === undefined);
  }
}

/** The text with everything in fences and code spans blanked, positions kept: examples are no comments. */
function unfenced(text: string): string {
  const blank = (part: string) => part.replace(/[^\n]/g, " ");
  return text
    .replace(/^ {0,3}(`{3,}(?!`)|~{3,}(?!~))[\s\S]*?(?:^ {0,3}\1[`~]*[ \t]*$|$(?![\s\S]))/gm, blank)
    .replace(/(?<!`)(`+)(?!`)[^`\n]+\1/g, blank);
}

class Collector {
  readonly lines: CommentLine[] = [];
  readonly #text: string;
  #at = 0;
  #line = 1;
  #group = 0;
  #last = { line: -1, block: true };

  constructor(text: string) {
    this.#text = text;
  }

  add(start: number, body: string, isBlock: boolean): void {
    const first = this.#lineAt(start);
    const before = this.#text.slice(this.#text.lastIndexOf("\n", start - 1) + 1, start).trim();
    const end = start + body.length;
    const lineEnd = this.#text.indexOf("\n", end);
    const after = this.#text.slice(end, lineEnd < 0 ? undefined : lineEnd).trim();
    const alone = (before === "" || before === "{") && (after === "" || after === "}");
    const goesOn = !isBlock && alone && !this.#last.block && this.#last.line === first - 1;
    if (!goesOn) this.#group++;
    const parts = body.split("\n");
    for (const [i, part] of parts.entries()) {
      this.lines.push({ line: first + i, text: bare(part, isBlock), alone, group: this.#group });
    }
    this.#last = { line: first + parts.length - 1, block: isBlock || !alone };
  }

  #lineAt(position: number): number {
    if (position < this.#at) [this.#at, this.#line] = [0, 1];
    for (let at = this.#text.indexOf("\n", this.#at); at >= 0 && at < position; ) {
      this.#line++;
      this.#at = at + 1;
      at = this.#text.indexOf("\n", this.#at);
    }
    return this.#line;
  }
}

const opening = /^\s*(?:\/\*+!?|<!--+|\{\{!(?:--)?|\{#|<%(?:#|--)|<#|--\[\[|\{-|[rRuU]?(?:"""|'''))?\s*/;
const closing = /(?:(?<!\*)\*+\/|(?<!-)--+>|(?:--)?\}\}|#\}|(?:--)?%>|#>|\]\]|-\}|"""|''')$/;

function bare(line: string, isBlock: boolean): string {
  if (!isBlock) return line.replace(/^(?:\/\/[/!]*|#+!?|--+|;+|%+)/, "").trim();
  return line
    .replace(opening, "")
    .trimEnd()
    .replace(closing, "")
    .trimEnd()
    .replace(/^\*+(?!\w)\s?/, "")
    .trim();
}
