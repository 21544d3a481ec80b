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
const operand = raw`(?<=(?:^|[(,=:[!&|?{};+*%~]|\b(?:return|typeof|case|in|of|do|else))[ \t]*/)`;
const regex = raw`/${operand}(?![*/])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/`;
const end = raw`$(?![\s\S])`;
const block = raw`(?<block>/\*[\s\S]*?(?:\*/|${end}))`;
const slashes = raw`(?<line>//[^\n]*)`;
const hash = raw`(?<!\S)(?<line>#[^\n]*)`;
const triple = raw`"""[\s\S]*?(?:"""|${end})|'''[\s\S]*?(?:'''|${end})`;
const doc = raw`(?=["'])(?:(?<doc>(?<=^[ \t]*[rRuU]?)(?:${triple}))|${triple})`;
const markup = raw`(?<block><!--[\s\S]*?(?:-->|${end})|\{#[^\n]*?#\}|\{\{!--[\s\S]*?--\}\}|\{\{![^\n]*?\}\}|<%--[\s\S]*?--%>|<%#[\s\S]*?%>)|${open("<%--", "<%#", "{{!--")}|${openInLine("{#", "{{!")}`;

/** What is opened and never closed takes the rest with it, unread: nothing behind it looks for the same end again. */
function open(...openers: string[]): string {
  return raw`(?:${openers.map(literally).join("|")})[\s\S]*`;
}

/** The same up to the end of its line. */
function openInLine(...openers: string[]): string {
  return raw`(?:${openers.map(literally).join("|")})[^\n]*`;
}

function literally(text: string): string {
  return text.replace(/[{}[\]*]/g, "\\$&");
}

/** Alternatives of one pattern per family; what matches without a named group is a string and is passed over. */
const patterns: Record<Exclude<Syntax, "prose">, string> = {
  script: raw`${slashes}|${block}|${quoted}|${template}|${regex}`,
  slash: raw`${slashes}|${block}|${character}|${template}`,
  style: raw`${block}|${quoted}`,
  hash: raw`${doc}|${quoted}|${hash}|(?<block><#[\s\S]*?#>)|${open("<#")}`,
  dash: raw`(?<block>--\[\[[\s\S]*?\]\]|\{-[\s\S]*?-\}|/\*[\s\S]*?\*/)|${open("--[[", "{-", "/*")}|(?<line>--[^\n]*)|${quoted}`,
  lisp: raw`(?<line>;[^\n]*)|${character}`,
  percent: raw`(?<!\\)(?<line>%[^\n]*)|${character}`,
  markup,
  line: raw`(?=[/#;%<-])(?<=^[ \t]*)(?:(?<line>(?://|#|--|;|%)[^\n]*)|${block}|(?<block2><!--[\s\S]*?-->)|${open("<!--")})`,
};
const compiled = new Map<Syntax, RegExp>();

/** Every line of every comment of `text`, in order. Prose has comments only as `<!-- -->` outside fences. */
export function commentLines(path: string, text: string): CommentLine[] {
  const { syntax } = languageOf(path);
  const found = new Collector(text);
  if (syntax === "prose") scan(found, "markup", unfenced(text), 0);
  else scan(found, syntax, text, 0);
  if (syntax === "markup") {
    for (const { name, start, end } of programsIn(text)) scan(found, name, text.slice(start, end), start);
  }
  return found.lines.sort((a, b) => a.line - b.line);
}

/** What stands in elements for scripts and styles, up to where the next one ends. */
function* programsIn(text: string): Generator<{ name: "script" | "style"; start: number; end: number }> {
  const tag = /<(\/?)(script|style)\b[^<>]*>/gi;
  let open: { name: "script" | "style"; start: number } | null = null;
  for (const { 0: whole, 1: slash, 2: word, index } of text.matchAll(tag)) {
    const name = word?.toLowerCase() === "style" ? "style" : "script";
    if (slash === "") open ??= { name, start: index + whole.length };
    else if (open?.name === name) {
      yield { ...open, end: index };
      open = null;
    }
  }
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
  /** Where that line ends; -1 when it is not known. */
  #end = -1;
  #group = 0;
  #last = { line: -1, block: true };

  constructor(text: string) {
    this.#text = text;
  }

  add(start: number, body: string, isBlock: boolean): void {
    const first = this.#lineAt(start);
    const alone = this.#isEdge(start - 1, -1, "{") && this.#isEdge(start + body.length, 1, "}");
    const goesOn = !isBlock && alone && !this.#last.block && this.#last.line === first - 1;
    if (!goesOn) this.#group++;
    const parts = body.split("\n");
    for (const [i, part] of parts.entries()) {
      this.lines.push({ line: first + i, text: bare(part, isBlock), alone, group: this.#group });
    }
    this.#last = { line: first + parts.length - 1, block: isBlock || !alone };
  }

  /** Nothing but blanks, and one `brace` at most, between a place and the edge of its line. */
  #isEdge(from: number, step: 1 | -1, brace: string): boolean {
    let braces = 0;
    for (let at = from; ; at += step) {
      const sign = this.#text[at];
      if (sign === undefined || sign === "\n") return true;
      if (sign === brace && ++braces === 1) continue;
      if (sign.trim() !== "") return false;
    }
  }

  #lineAt(position: number): number {
    if (position < this.#at) [this.#at, this.#line, this.#end] = [0, 1, -1];
    // Where the line ends is looked for once, however many comments it has.
    if (this.#end < 0) this.#end = this.#endFrom(this.#at);
    while (this.#end < position) {
      this.#line++;
      this.#at = this.#end + 1;
      this.#end = this.#endFrom(this.#at);
    }
    return this.#line;
  }

  #endFrom(at: number): number {
    const end = this.#text.indexOf("\n", at);
    return end < 0 ? this.#text.length : end;
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
