// What a sed script does, read as GNU sed reads it.
// Invariant: a script is understood whole or not at all, so that nothing hides behind what was skipped.

export interface SedScript {
  /** Files it writes, by the commands `w` and `W` and the flag `w` of `s`. */
  writes: readonly string[];
  /** Files it reads, by `r` and `R`. */
  reads: readonly string[];
  /** It runs commands: `e`, or the flag `e` of `s`. */
  runs: boolean;
}

/** Null when it is not understood. */
export function readSed(script: string): SedScript | null {
  const scan = new SedScan(script);
  return scan.run() ? scan : null;
}

/** What is escaped, and whole bracket expressions. */
const brackets = /\\[\s\S]|\[\^?\]?(?:\[:\w+:\]|[^\][\\]|\\[nt])*\]/g;

class SedScan implements SedScript {
  readonly writes: string[] = [];
  readonly reads: string[] = [];
  runs = false;
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  run(): boolean {
    for (;;) {
      this.#match(/[\s;]*/y);
      if (this.#at >= this.#text.length) return this.#depth === 0;
      if (!this.#addresses() || !this.#command()) return false;
    }
  }

  /** The text that matches here, which is passed; null when it does not. */
  #match(sticky: RegExp): RegExpExecArray | null {
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#text);
    if (found) this.#at = sticky.lastIndex;
    return found;
  }

  #addresses(): boolean {
    if (this.#address() === false) return false;
    if (this.#match(/[ \t]*,[ \t]*/y) && !this.#match(/[+~]\d+/y) && this.#address() !== true) return false;
    this.#match(/[ \t]*(![ \t]*)?/y);
    return true;
  }

  /** True: there is one. False: there is one that is not understood. */
  #address(): boolean | null {
    if (this.#match(/\d+(~\d+)?|\$/y)) return true;
    const custom = this.#match(/\\([^\s\\\w])/y)?.[1];
    const delimiter = custom ?? this.#match(/\//y)?.[0];
    if (delimiter === undefined) return this.#text.charAt(this.#at) === "\\" ? false : null;
    return this.#delimited(delimiter, true) && this.#match(/[IM]*/y) !== null;
  }

  #command(): boolean {
    const command = this.#text.charAt(this.#at++);
    switch (command) {
      case "{":
        this.#depth++;
        return true;
      case "}":
        return --this.#depth >= 0 && this.#ends();
      case "#":
        return this.#match(/[^\n]*/y) !== null;
      case "a":
      case "i":
      case "c":
        return this.#match(/(?:[^\\\n]|\\[\s\S])*/y) !== null;
      case ":":
        return this.#match(/[ \t]*\w+(?=[\s;]|$)/y) !== null;
      case "b":
      case "t":
      case "T":
        return this.#match(/[ \t]*\w*/y) !== null && this.#ends();
      case "e":
        this.runs = true;
        return this.#match(/[^\n]*/y) !== null;
      case "r":
      case "R":
        return this.#file(this.reads);
      case "w":
      case "W":
        return this.#file(this.writes);
      case "s":
        return this.#substitution();
      case "y":
        return this.#twoTexts() && this.#ends();
      default:
        return /^[=dDgGhHnNpPxzFlqQ]$/.test(command) && this.#match(/[ \t]*\d*/y) !== null && this.#ends();
    }
  }

  /** Nothing but another command may follow. */
  #ends(): boolean {
    return this.#match(/[ \t]*(?=[;}\n#]|$)/y) !== null;
  }

  #file(list: string[]): boolean {
    const name = this.#match(/[ \t]*([^\n]*)/y)?.[1] ?? "";
    list.push(name);
    return name !== "";
  }

  #substitution(): boolean {
    if (!this.#twoTexts()) return false;
    const flags = this.#match(/[gpiImM0-9e]*/y)?.[0] ?? "";
    if (flags.includes("e")) this.runs = true;
    return this.#match(/w/y) ? this.#file(this.writes) : this.#ends();
  }

  #twoTexts(): boolean {
    const delimiter = this.#text.charAt(this.#at++);
    if (!/^[^\s\\;{}\w]$/.test(delimiter)) return false;
    return this.#delimited(delimiter, true) && this.#delimited(delimiter, false);
  }

  /** Up to the delimiter, which is passed. One in brackets is taken differently by different versions. */
  #delimited(delimiter: string, isPattern: boolean): boolean {
    const start = this.#at;
    for (; this.#at < this.#text.length; this.#at++) {
      const char = this.#text.charAt(this.#at);
      if (char === "\\") this.#at++;
      else if (char === "\n") return false;
      else if (char === delimiter) {
        const inner = this.#text.slice(start, this.#at++);
        return !isPattern || !inner.replace(brackets, "").includes("[");
      }
    }
    return false;
  }
}
