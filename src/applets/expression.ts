// The expressions of grep, in the syntax of an engine that takes time in proportion to the text.
// Invariant: what is returned fits the same lines as GNU grep's own; null for everything of which that is not known:
// references back, `\<`, a brace or star where versions differ.

import { RE2JS, RE2JSSyntaxException } from "re2js";

export type Syntax = "basic" | "extended" | "fixed" | "rust";

export interface Matcher {
  /** Where it fits first, from here on. */
  find(line: string, from: number): { start: number; end: number } | null;
  /** Every line that fits has this in it, as it stands here. Null: nothing of the kind is known. */
  literal: string | null;
}

export interface Wanted {
  patterns: readonly string[];
  syntax: Syntax;
  ignoreCase: boolean;
  /** The whole of a word, of a line. */
  words: boolean;
  lines: boolean;
}

export function matcherFor({ patterns, syntax, ignoreCase, words, lines }: Wanted): Matcher | null {
  if (patterns.length === 0 || patterns.some((pattern) => /[\n\r\0]/.test(pattern))) return null;
  // A boundary is one at a letter only: elsewhere grep looks for another, shorter fit.
  if (words && !patterns.every((pattern) => /^\w+$/.test(pattern))) return null;
  const all = patterns.map((pattern) => translated(pattern, syntax));
  if (all.some((each) => each === null)) return null;
  const either = all.map((each) => `(?:${each})`).join("|");
  const whole = lines ? `^(?:${either})$` : words ? `\\b(?:${either})\\b` : either;
  try {
    const flags = (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0) | (syntax === "rust" ? 0 : RE2JS.LONGEST_MATCH);
    const compiled = RE2JS.compile(whole, flags);
    const [only = ""] = patterns;
    const isLiteral =
      patterns.length === 1 && !ignoreCase && (syntax === "fixed" || !/[^\w ,:;<>=@%&~"'#/-]/.test(only));
    return {
      literal: isLiteral && only !== "" ? only : null,
      find(line, from) {
        const matcher = compiled.matcher(line);
        return matcher.find(from) ? { start: matcher.start(), end: matcher.end() } : null;
      },
    };
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return null;
    throw error;
  }
}

function translated(pattern: string, syntax: Syntax): string | null {
  if (syntax === "rust") return pattern;
  if (syntax === "fixed") return RE2JS.quote(pattern);
  const reader = new PosixReader(pattern, syntax === "extended");
  return reader.read();
}

const brackets = /\[(\^?)(\]?(?:\[:[a-z]+:\]|[^\][])*)\]/y;
const literalIn = /[.*[\]^$\\/+?(){}|&%#@!~`"'<>,;:=_ -]/;

/** Of whatever language. */
const letters = "\\p{L}\\p{M}\\p{N}_";

const classes: Readonly<Record<string, string>> = {
  "[:alpha:]": "\\p{L}\\p{M}",
  "[:alnum:]": "\\p{L}\\p{M}\\p{N}",
  "[:upper:]": "\\p{Lu}",
  "[:lower:]": "\\p{Ll}",
};

class PosixReader {
  readonly #pattern: string;
  readonly #extended: boolean;
  #at = 0;
  #out = "";
  #depth = 0;
  /** Nothing stands before it that could be repeated. */
  #isStart = true;

  constructor(pattern: string, extended: boolean) {
    this.#pattern = pattern;
    this.#extended = extended;
  }

  read(): string | null {
    while (this.#at < this.#pattern.length) if (!this.#step()) return null;
    return this.#depth === 0 ? this.#out : null;
  }

  #step(): boolean {
    const char = this.#pattern.charAt(this.#at);
    if (char === "[") return this.#bracket();
    if (char === "\\") return this.#escape();
    this.#at++;
    if (char === "^") return this.#isStart && this.#put("^", true);
    if (char === "$") return this.#isEnd() && this.#put("$", false);
    if (char === "*") return this.#isStart ? !this.#extended && this.#put("\\*", false) : this.#repeat("*");
    if ("(){}|+?".includes(char)) return this.#extended ? this.#operator(char) : this.#put(`\\${char}`, false);
    return this.#put(char === "]" ? "\\]" : char, false);
  }

  #put(text: string, isStart: boolean): boolean {
    this.#out += text;
    this.#isStart = isStart;
    return true;
  }

  /** Twice over is another thing to this engine. */
  #repeat(sign: string): boolean {
    if (/(?:^|[^\\])[*+?}]$/.test(this.#out)) return false;
    return this.#put(sign, false);
  }

  #isEnd(): boolean {
    const rest = this.#pattern.slice(this.#at);
    return rest === "" || (this.#extended ? /^[|)]/ : /^\\[|)]/).test(rest);
  }

  #operator(char: string): boolean {
    if (char === "(") {
      this.#depth++;
      return this.#put("(", true);
    }
    if (char === ")") return --this.#depth >= 0 && !this.#isStart && this.#put(")", false);
    if (char === "|") return !this.#isStart && this.#put("|", true);
    if (this.#isStart) return false;
    if (char === "{") {
      const close = this.#extended ? "}" : "\\}";
      const end = this.#pattern.indexOf(close, this.#at);
      const inner = end < 0 ? "" : this.#pattern.slice(this.#at, end);
      if (!/^\d{1,3}(?:,\d{0,3})?$/.test(inner)) return false;
      this.#at = end + close.length;
      return this.#repeat(`{${inner}}`);
    }
    return char !== "}" && this.#repeat(char);
  }

  #escape(): boolean {
    const next = this.#pattern.charAt(this.#at + 1);
    this.#at += 2;
    if (next === "w") return this.#put(`[${letters}]`, false);
    if (next === "W") return this.#put(`[^${letters}]`, false);
    if (/^[bsSB]$/.test(next)) return this.#put(`\\${next}`, false);
    if (!this.#extended && "(){|+?".includes(next) && next !== "") return this.#operator(next);
    // A letter or digit after a backslash has a meaning of its own, in one version or the other.
    return literalIn.test(next) && !"<>`'".includes(next) && this.#put(RE2JS.quote(next), false);
  }

  #bracket(): boolean {
    brackets.lastIndex = this.#at;
    const [whole, not = "", inner = ""] = brackets.exec(this.#pattern) ?? [];
    if (whole === undefined) return false;
    this.#at += whole.length;
    const safe = inner.replace(/\[:[a-z]+:\]|\\|\[|\]|\^|&|~/g, (each) =>
      each.length > 1 ? (classes[each] ?? each) : `\\${each}`,
    );
    return this.#put(`[${not}${safe}]`, false);
  }
}
