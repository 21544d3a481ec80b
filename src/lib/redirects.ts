// The files that a shell command names as places for output: `> f`, `>> f`, `2> f`, `&> f`, `>| f`, `<> f`, `tee f`.
// Deliberately no shell parser: only words that are written out count; anything with an expansion is passed over, and so
// is whatever stands inside quotes, substitutions, here-documents, `[[ ]]` and `(( ))`. So it may miss a file, and names
// none that the command would not open. What programs write by themselves it cannot know.

interface Word {
  text: string;
  /** False when the shell would make something else of it. */
  literal: boolean;
  /** Nothing of it was quoted. */
  bare: boolean;
}

/** Words that are followed by a command. */
const leading = new Set(["if", "then", "elif", "else", "while", "until", "do", "!", "{", "time"]);

/** Targets in the order they stand there, relative to the directory the command starts in, unless absolute. */
export function redirectTargets(command: string): string[] {
  // Nearly every command ends here.
  if (!/>|\btee\b/.test(command)) return [];
  return new Scan(command).targets();
}

class Scan {
  readonly #text: string;
  readonly #found: string[] = [];
  #at = 0;
  #words: Word[] = [];
  /** Where a literal `cd` led, relative to the start; null = unknown. */
  #directory: string | null = "";
  /** The directories outside of the open subshells. */
  readonly #outside: (string | null)[] = [];
  #heredocs: { end: string; tabs: boolean }[] = [];

  constructor(text: string) {
    this.#text = text.replaceAll("\\\n", "");
  }

  targets(): string[] {
    while (this.#at < this.#text.length) this.#step();
    this.#endCommand();
    return this.#found;
  }

  #step(): void {
    const char = this.#text.charAt(this.#at);
    if (char === " " || char === "\t" || char === "\r") this.#at++;
    else if (char === "\n") this.#newline();
    else if (char === "#") this.#skipTo("\n");
    else if (char === ">" || char === "<" || this.#ahead("&>")) this.#redirect();
    else if (char === "(") this.#open();
    else if (char === ")") this.#close();
    else if (char === ";" || char === "&" || char === "|") {
      this.#endCommand();
      this.#at++;
    } else this.#word();
  }

  #ahead(text: string): boolean {
    return this.#text.startsWith(text, this.#at);
  }

  /** To the next `end`, or to the end of the text. */
  #skipTo(end: string): void {
    const next = this.#text.indexOf(end, this.#at);
    this.#at = next < 0 ? this.#text.length : next;
  }

  #newline(): void {
    this.#endCommand();
    this.#at++;
    for (const { end, tabs } of this.#heredocs) this.#skipBody(end, tabs);
    this.#heredocs = [];
  }

  #skipBody(end: string, tabs: boolean): void {
    while (this.#at < this.#text.length) {
      const start = this.#at;
      this.#skipTo("\n");
      const line = this.#text.slice(start, this.#at++);
      if ((tabs ? line.replace(/^\t+/, "") : line) === end) return;
    }
  }

  #open(): void {
    if (this.#ahead("((")) {
      this.#skipTo("))");
      this.#at += 2;
      return;
    }
    this.#endCommand();
    this.#outside.push(this.#directory);
    this.#at++;
  }

  #close(): void {
    this.#endCommand();
    const outside = this.#outside.pop();
    if (outside !== undefined) this.#directory = outside;
    this.#at++;
  }

  #word(): void {
    const word = this.#readWord();
    // `2>`: the number belongs to the redirection.
    if (word.bare && /^\d+$/.test(word.text) && /[<>]/.test(this.#text.charAt(this.#at))) return;
    if (this.#words.length === 0 && word.bare) {
      if (leading.has(word.text) || /^\w+\+?=/.test(word.text)) return;
      if (word.text === "[[") {
        this.#skipTo("]]");
        this.#at += 2;
        return;
      }
    }
    this.#words.push(word);
  }

  #redirect(): void {
    const [operator = ""] =
      /^(?:&>>?|>>|>\||>&|>|<<<|<<-|<<|<>|<&|<)/.exec(this.#text.slice(this.#at, this.#at + 3)) ?? [];
    this.#at += operator.length;
    // `>(…)` and `<(…)` are commands of their own.
    if (this.#ahead("(")) return;
    while (this.#ahead(" ") || this.#ahead("\t")) this.#at++;
    const word = this.#readWord();
    if (operator === "<<" || operator === "<<-") this.#heredocs.push({ end: word.text, tabs: operator === "<<-" });
    else if (operator === ">&" && /^(\d+-?|-)$/.test(word.text)) return;
    else if (operator === "<>" || !operator.startsWith("<")) this.#add(word);
  }

  #add({ text, literal }: Word): void {
    if (!literal || text === "") return;
    if (text.startsWith("/") || this.#directory === "") this.#found.push(text);
    else if (this.#directory !== null) this.#found.push(`${this.#directory}/${text}`);
  }

  #endCommand(): void {
    const [name, ...rest] = this.#words;
    this.#words = [];
    if (!name?.literal) return;
    if (name.text === "tee") for (const word of rest) if (!word.text.startsWith("-")) this.#add(word);
    if (name.text === "cd") this.#change(rest);
    if (name.text === "pushd" || name.text === "popd") this.#directory = null;
  }

  #change(args: readonly Word[]): void {
    const [to, ...more] = args;
    const known = to?.literal && more.length === 0 && !to.text.startsWith("-") && to.text !== "";
    if (!known) this.#directory = null;
    else if (to.text.startsWith("/") || this.#directory === "") this.#directory = to.text;
    else if (this.#directory !== null) this.#directory = `${this.#directory}/${to.text}`;
  }

  #readWord(): Word {
    const word: Word = { text: "", literal: true, bare: true };
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at);
      if (/[\s;&|<>()]/.test(char)) break;
      this.#at++;
      if (char === "'") this.#single(word);
      else if (char === '"') this.#double(word);
      else if (char === "\\") {
        word.text += this.#text.charAt(this.#at++);
        word.bare = false;
      } else if (char === "$" || char === "`") this.#expansion(word, char);
      else {
        if (/[*?[{]/.test(char) || (char === "~" && word.text === "")) word.literal = false;
        word.text += char;
      }
    }
    return word;
  }

  #single(word: Word): void {
    const start = this.#at;
    this.#skipTo("'");
    word.text += this.#text.slice(start, this.#at++);
    word.bare = false;
  }

  #double(word: Word): void {
    word.bare = false;
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at++);
      if (char === '"') return;
      if (char === "\\") word.text += this.#text.charAt(this.#at++);
      else if (char === "$" || char === "`") this.#expansion(word, char);
      else word.text += char;
    }
  }

  /** Passes over a substitution; its first character is behind us. */
  #expansion(word: Word, char: string): void {
    word.literal = false;
    if (char === "`") {
      this.#skipTo("`");
      this.#at++;
    } else if (this.#ahead("'")) {
      this.#at++;
      this.#single(word);
    } else if (this.#ahead("(")) this.#skipNested("(", ")");
    else if (this.#ahead("{")) this.#skipNested("{", "}");
  }

  #skipNested(open: string, close: string): void {
    let depth = 0;
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at++);
      if (char === "\\") this.#at++;
      else if (char === "'") this.#single({ text: "", literal: true, bare: true });
      else if (char === open) depth++;
      else if (char === close && --depth === 0) return;
    }
  }
}
