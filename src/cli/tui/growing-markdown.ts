// Markdown that is still arriving: read from its last open block on. What is closed is laid out once: blocks, the items of an
// open list, the lines of an open block of code. So a frame costs what is new, not what was said.
// Invariant: a line that was stable stays as it is, whatever comes.

import type { Token, Tokens } from "marked";
import { GrowingCode } from "./growing-code.js";
import { blocksOf, list } from "./markdown.js";
import { markdownTokens } from "./markdown-tokens.js";
import type { Line } from "./span.js";

interface Laid {
  lines: Line[];
  /** How many of the lines will stay as they are. */
  stable: number;
}

export class GrowingMarkdown {
  readonly #width: number;
  #closed = "";
  readonly #lines: Line[] = [];
  /** Items of the open list that are laid out already, and the number of its first. */
  #items = 0;
  #first = 1;
  /** The open block of code. */
  #code: GrowingCode | undefined;

  constructor(width: number) {
    this.#width = width;
  }

  /** Whether this layout can go on with `text`. */
  fits(text: string): boolean {
    return text.startsWith(this.#closed);
  }

  /** `text` begins with what was given before. */
  layout(text: string): Laid {
    const tokens = markdownTokens(text.slice(this.#closed.length));
    const open = openBlock(tokens);
    for (const token of tokens.slice(0, open)) this.#close(token, token.raw);
    const rest = tokens.slice(open);
    if (rest[0]?.type === "list") rest[0] = this.#closeItems(rest[0] as Tokens.List);
    const { lines, stable } = this.#laidOut(rest);
    const closed = this.#lines.length;
    const gap = closed > 0 && lines.length > 0 && !this.#goesOn(rest[0]) ? [[]] : [];
    return { lines: [...this.#lines, ...gap, ...lines], stable: stable > 0 ? closed + gap.length + stable : closed };
  }

  /** Items behind which another one has begun are done, and the list goes on without them. */
  #closeItems(token: Tokens.List): Tokens.List {
    const last = token.items.at(-1);
    // A mark alone may still become a rule, or text of the item before.
    if (token.items.length < 2 || !last || !/^\s*\S+\s+\S/.test(last.raw)) return token;
    const items = token.items.slice(0, -1);
    const before = this.#goesOn(token) ? this.#items : 0;
    if (before === 0) this.#first = Number(token.start || 1);
    const raw = items.map((item) => item.raw).join("");
    this.#close({ ...token, items }, raw);
    this.#items = before + items.length;
    return { ...token, items: [last], raw: token.raw.slice(raw.length) };
  }

  #close(token: Token, raw: string): void {
    const { lines } = this.#laidOut([token]);
    this.#closed += raw;
    if (lines.length === 0) return;
    if (this.#lines.length > 0 && !this.#goesOn(token)) this.#lines.push([]);
    this.#lines.push(...lines);
    this.#items = 0;
    this.#code = undefined;
  }

  #goesOn(token: Token | undefined): boolean {
    return this.#items > 0 && token?.type === "list";
  }

  /** Its last block may be one that grows; what follows that is only seen for now. */
  #laidOut([token, ...more]: readonly Token[]): Laid {
    const first = token ? this.#grown(token) : null;
    if (!token || !first) return { lines: blocksOf(token ? [token, ...more] : [], this.#width), stable: 0 };
    const rest = blocksOf(more, this.#width);
    return { lines: [...first.lines, ...(rest.length > 0 ? [[], ...rest] : [])], stable: first.stable };
  }

  #grown(token: Token): Laid | null {
    if (this.#goesOn(token)) {
      const made = list({ ...(token as Tokens.List), start: this.#first + this.#items }, this.#width);
      return { lines: made, stable: 0 };
    }
    if (token.type !== "code" || (token as Tokens.Code).codeBlockStyle === "indented") return null;
    const { text, lang = "" } = token as Tokens.Code;
    if (this.#code?.language !== lang) this.#code = new GrowingCode(this.#width, lang);
    return this.#code.layout(text);
  }
}

/** A list may go on behind a blank line: the last block is open with the space after it, and so is a list before what may be a mark. */
function openBlock(tokens: readonly Token[]): number {
  const solid = tokens.flatMap(({ type }, at) => (type === "space" ? [] : [at]));
  const [before, last] = [solid.at(-2) ?? 0, solid.at(-1) ?? 0];
  const mark = /^\s*(?:\d{1,9}[.)]?|[-*+])\s*$/.test(tokens[last]?.raw ?? "");
  return mark && tokens[before]?.type === "list" ? before : last;
}
