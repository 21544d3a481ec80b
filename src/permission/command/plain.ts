// The second reader: a scanner for the small language in which a command may run unasked, by hand and after the manual of
// bash, so that one mistake of the grammar cannot make a command read-only. What it answers has to be what the grammar says.
// Invariant: null for everything outside of words, quotes, `;` `&&` `||` `|`, line ends, comments, redirections to
// descriptors and /dev/null, here-strings and here-documents without expansion.

import { decodedAnsi } from "./quotes.js";

/** The words of each command in order; null = outside of the language. */
export function plainCommands(text: string): string[][] | null {
  const scan = new PlainScan(text);
  return scan.run() ? scan.commands : null;
}

/** Numbers and names in small letters, of which neither bash nor the environment of such a command sets any. */
export const arithmetic = /^\$\(\(((?:[ a-z0-9_+*/%-]|\([ a-z0-9_+*/%-]*\))*)\)\)/;

/** Words that are no program where one is expected. */
export const reserved: ReadonlySet<string> = new Set(
  "if then else elif fi for while until do done case esac select function time coproc { } ! [[ ]]".split(" "),
);
const special = /[\s;&|<>()$`'"\\#*?[\]{}~!=]/;

class PlainScan {
  readonly commands: string[][] = [];
  readonly #text: string;
  #at = 0;
  #words: string[] = [];
  /** `< file`, each a part of its own. */
  #inputs: string[][] = [];
  #pendingEnds: string[] = [];
  #computed = false;

  constructor(text: string) {
    this.#text = text;
  }

  run(): boolean {
    while (this.#at < this.#text.length) {
      if (!this.#step()) return false;
    }
    this.#end();
    return this.#pendingEnds.length === 0;
  }

  #step(): boolean {
    const char = this.#text.charAt(this.#at);
    if (char === " " || char === "\t") this.#at++;
    else if (this.#take("\\\n")) return true;
    else if (char === "\n") return this.#newline();
    else if (char === "#") this.#comment();
    else if (this.#take("&&") || this.#take("||")) this.#end();
    else if (char === "|" && !this.#text.startsWith("|&", this.#at)) {
      this.#at++;
      this.#end();
    } else if (char === ";" && !this.#text.startsWith(";;", this.#at)) {
      this.#at++;
      this.#end();
    } else if (char === "<" || char === ">" || /^\d[<>]/.test(this.#text.slice(this.#at, this.#at + 2)))
      return this.#redirect();
    else return this.#addWord();
    return true;
  }

  #take(token: string): boolean {
    if (!this.#text.startsWith(token, this.#at)) return false;
    this.#at += token.length;
    return true;
  }

  #end(): void {
    this.commands.push(...this.#inputs);
    if (this.#words.length > 0) this.commands.push(this.#words);
    this.#inputs = [];
    this.#words = [];
  }

  #comment(): void {
    const end = this.#text.indexOf("\n", this.#at);
    this.#at = end < 0 ? this.#text.length : end;
  }

  #newline(): boolean {
    this.#end();
    this.#at++;
    for (const end of this.#pendingEnds) {
      if (!this.#skipBody(end)) return false;
    }
    this.#pendingEnds = [];
    return true;
  }

  #skipBody(end: string): boolean {
    while (this.#at < this.#text.length) {
      const stop = this.#text.indexOf("\n", this.#at);
      const line = this.#text.slice(this.#at, stop < 0 ? undefined : stop);
      this.#at = stop < 0 ? this.#text.length : stop + 1;
      if (line === end) return true;
    }
    return false;
  }

  #redirect(): boolean {
    const rest = this.#text.slice(this.#at, this.#at + 400);
    const duplicate =
      /^[12]?>&[12](?=[\s;|&]|$)/.exec(rest) ??
      /^[12]?>>?[ \t]*\/dev\/null(?=[\s;|&]|$)/.exec(rest) ??
      /^0?<[ \t]*\/dev\/null(?=[\s;|&]|$)/.exec(rest);
    if (duplicate) {
      this.#at += duplicate[0].length;
      return true;
    }
    if (this.#take("<<<")) {
      while (this.#take(" ") || this.#take("\t"));
      return this.#word() !== null;
    }
    if (/^<(?![<>&(])/.test(rest)) {
      this.#at++;
      while (this.#take(" ") || this.#take("\t"));
      const file = this.#word();
      if (file !== null) this.#inputs.push(["<", file]);
      return file !== null;
    }
    const start = /^<<[ \t]*(?:'([\w.-]+)'|"([\w.-]+)"|([\w.-]+))(?=[\s;|&]|$)/.exec(rest);
    if (!start) return false;
    this.#at += start[0].length;
    this.#pendingEnds.push(start[1] ?? start[2] ?? start[3] ?? "");
    return true;
  }

  #addWord(): boolean {
    const first = this.#words.length === 0;
    const start = this.#at;
    if (first && this.#take("[ ")) {
      this.#words.push("[");
      return true;
    }
    const word = this.#word();
    if (word === null) return false;
    const source = this.#text.slice(start, this.#at);
    if (first && (reserved.has(source) || /^[A-Za-z_]\w*(\[.*\])?\+?=/.test(source))) return false;
    this.#words.push(word);
    return true;
  }

  /** One literal word from here, or null. */
  #word(): string | null {
    const start = this.#at;
    let word = "";
    this.#computed = false;
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at);
      if (/[\s;&|<>()]/.test(char)) break;
      const piece = this.#piece(char, this.#at === start);
      if (piece === null) return null;
      word += piece;
    }
    if (this.#computed) return this.#text.slice(start, this.#at);
    return this.#at === start ? null : word;
  }

  #piece(char: string, first: boolean): string | null {
    if (char === "'") return this.#until("'", 1);
    if (char === '"') return this.#double();
    if (this.#text.startsWith("$'", this.#at)) return this.#ansi();
    if (char === "$") return this.#sum() ? "" : null;
    if (this.#take("\\\n")) return "";
    if (char === "\\") {
      const next = this.#text.charAt(this.#at + 1);
      this.#at += 2;
      return next === "" ? null : next;
    }
    this.#at++;
    if (!special.test(char)) return char;
    // In the middle of a word these are letters; braces only when nothing in them could be expanded.
    if (char === "#") return first ? null : char;
    if (char === "!" || char === "]" || char === "}" || char === "=") return char;
    if (char === "~") return first || /[=:]/.test(this.#text.charAt(this.#at - 2)) ? null : char;
    if (char === "{") return /^[^\s}]*(,|\.\.)/.test(this.#text.slice(this.#at, this.#at + 400)) ? null : char;
    return null;
  }

  #until(quote: string, skip: number): string | null {
    const end = this.#text.indexOf(quote, this.#at + skip);
    if (end < 0) return null;
    const inner = this.#text.slice(this.#at + skip, end);
    this.#at = end + 1;
    return inner;
  }

  #ansi(): string | null {
    const [whole, inner] = /^\$'((?:[^'\\]|\\[\s\S])*)'/.exec(this.#text.slice(this.#at)) ?? [];
    if (whole === undefined) return null;
    this.#at += whole.length;
    return decodedAnsi(inner ?? "");
  }

  /** `$((a + 1))`: passes it. The word is then shown as it is written. */
  #sum(): boolean {
    const [whole] = arithmetic.exec(this.#text.slice(this.#at, this.#at + 400)) ?? [];
    if (whole === undefined) return false;
    this.#at += whole.length;
    this.#computed = true;
    return true;
  }

  #double(): string | null {
    let inner = "";
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const char = this.#text.charAt(this.#at);
      if (char === '"') {
        this.#at++;
        return inner;
      }
      if (char === "`" || (char === "$" && !this.#sum())) return null;
      if (char === "$") {
        this.#at--;
        continue;
      }
      if (char !== "\\") {
        inner += char;
        continue;
      }
      const next = this.#text.charAt(++this.#at);
      if (/["\\$`]/.test(next)) inner += next;
      else if (next !== "\n") inner += `\\${next}`;
    }
    return null;
  }
}
