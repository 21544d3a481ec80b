// Reads a command line that consists of plain words, joined by `;`, `&&`, `||`, `|` and line ends. Pure.
// Invariant: null for every text in which bash would do more than split it into these words: no expansion, no glob, no
// assignment, no redirection but those of the two outputs to each other and to /dev/null.

export type Joint = ";" | "&&" | "||";

/** Where an output goes. */
export type Target = "out" | "err" | "null";

export interface Stage {
  words: readonly string[];
  out: Target;
  err: Target;
}

export interface Pipeline {
  /** What stands before it. */
  joint: Joint;
  stages: readonly Stage[];
}

export function readLine(text: string): readonly Pipeline[] | null {
  const reader = new LineReader(text);
  return reader.run() ? reader.pipelines : null;
}

/** Characters that mean nothing to bash, wherever they stand in a word. */
const plain = /[\w./,@%+^-]|[^\0-\x7f]/u;

class LineReader {
  readonly pipelines: Pipeline[] = [];
  readonly #text: string;
  #at = 0;
  #joint: Joint = ";";
  #stages: Stage[] = [];
  #stage: Stage & { words: string[] } = begin();

  constructor(text: string) {
    this.#text = text;
  }

  run(): boolean {
    while (this.#at < this.#text.length) if (!this.#step()) return false;
    return this.#endLast();
  }

  #step(): boolean {
    if (this.#match(/[ \t]+/y)) return true;
    if (this.#match(/&&[ \t\n]*/y)) return this.#endPipeline("&&");
    if (this.#match(/\|\|[ \t\n]*/y)) return this.#endPipeline("||");
    if (this.#match(/\|(?!&)[ \t\n]*/y)) return this.#endStage();
    if (this.#match(/\n\s*/y)) return this.#endLast();
    if (this.#match(/;(?!;)\s*/y)) return this.#endPipeline(";");
    return this.#redirect() || this.#word();
  }

  #match(sticky: RegExp): RegExpExecArray | null {
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#text);
    if (found) this.#at = sticky.lastIndex;
    return found;
  }

  #endStage(): boolean {
    if (this.#stage.words.length === 0) return false;
    this.#stages.push(this.#stage);
    this.#stage = begin();
    return true;
  }

  #endPipeline(next: Joint): boolean {
    if (!this.#endStage()) return false;
    this.pipelines.push({ joint: this.#joint, stages: this.#stages });
    this.#stages = [];
    this.#joint = next;
    return true;
  }

  /** Nothing need follow a `;` or a line end. */
  #endLast(): boolean {
    const { words, out, err } = this.#stage;
    const isEmpty = words.length === 0 && out === "out" && err === "err" && this.#stages.length === 0;
    return isEmpty ? this.#joint === ";" : this.#endPipeline(";");
  }

  #redirect(): boolean {
    const [, from, to] = this.#match(/([12]?)>(?:[ \t]*(\/dev\/null)|&[12])(?=[\s;|&]|$)/y) ?? [];
    if (from === undefined) return false;
    const stage = this.#stage;
    const given = to === undefined ? (this.#text.charAt(this.#at - 1) === "1" ? stage.out : stage.err) : "null";
    if (from === "2") stage.err = given;
    else stage.out = given;
    return true;
  }

  #word(): boolean {
    let word = "";
    for (const start = this.#at; this.#at < this.#text.length; ) {
      const char = this.#text.charAt(this.#at);
      if (/[\s;|&]/.test(char)) break;
      const piece = this.#piece(this.#at === start);
      if (piece === null) return false;
      word += piece;
    }
    this.#stage.words.push(word);
    return true;
  }

  #piece(isFirst: boolean): string | null {
    const single = this.#match(/'([^']*)'/y);
    if (single) return single[1] ?? "";
    const double = this.#match(/"((?:[^"\\$`]|\\[^\n])*)"/y);
    if (double) return (double[1] ?? "").replace(/\\(["\\$`])/g, "$1");
    const escaped = this.#match(/\\([^\n])/y);
    if (escaped) return escaped[1] ?? "";
    const char = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0);
    // `~` is the home directory at the start and after `:` or `=`; a first word with `=` is an assignment.
    const isPlain =
      plain.test(char) ||
      (char === "~" && !isFirst && !/[:=]/.test(this.#text.charAt(this.#at - 1))) ||
      (char === "=" && this.#stage.words.length > 0) ||
      (/[:#]/.test(char) && !isFirst);
    if (!isPlain) return null;
    this.#at += char.length;
    return char;
  }
}

function begin(): Stage & { words: string[] } {
  return { words: [], out: "out", err: "err" };
}
