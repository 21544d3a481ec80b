// A pattern as an automaton: states, moves that take a character, and moves that take none. Text is read once, with the set
// of states it may be in, so a match costs at most (characters × states) whatever the pattern. Nothing backtracks.
// What a pattern means is up to its reader: glob.ts, gitignore.ts.

export type CharTest = (char: string) => boolean;

/** Most characters of a pattern that comes from outside: it bounds the number of states. */
export const longestPattern = 1_000;

export class Automaton {
  /** What a state takes, and the state after it. */
  readonly #takes: (CharTest | null)[] = [];
  readonly #to: number[] = [];
  readonly #free: number[][] = [];
  /** The last round in which a state was entered. */
  readonly #entered: number[] = [];
  #round = 0;
  /** Moves made so far, for tests that bound the work. */
  steps = 0;
  readonly start = this.state();

  state(): number {
    this.#takes.push(null);
    this.#to.push(0);
    this.#free.push([]);
    this.#entered.push(-1);
    return this.#takes.length - 1;
  }

  /** A move that takes nothing. */
  skip(from: number, to: number): void {
    this.#free[from]?.push(to);
  }

  /** A move that takes one character, to a new state. */
  take(from: number, test: CharTest): number {
    const at = this.state();
    this.skip(from, at);
    const to = this.state();
    this.#takes[at] = test;
    this.#to[at] = to;
    return to;
  }

  /** Any number of such characters, to a new state. */
  repeat(from: number, test: CharTest): number {
    const at = this.state();
    this.skip(from, at);
    this.#takes[at] = test;
    this.#to[at] = at;
    const to = this.state();
    this.skip(at, to);
    return to;
  }

  /** Does the whole text lead from `start` to `end`? */
  accepts(text: string, end: number): boolean {
    let states = this.#enter([this.start]);
    for (const char of text) {
      if (states.length === 0) return false;
      const next: number[] = [];
      for (const state of states) if (this.#takes[state]?.(char)) next.push(this.#to[state] ?? 0);
      states = this.#enter(next);
    }
    return this.#entered[end] === this.#round;
  }

  /** These states and all that they lead to without a character. */
  #enter(pending: number[]): number[] {
    const round = ++this.#round;
    const found: number[] = [];
    for (let state = pending.pop(); state !== undefined; state = pending.pop()) {
      this.steps++;
      if (this.#entered[state] === round) continue;
      this.#entered[state] = round;
      if (this.#takes[state]) found.push(state);
      for (const next of this.#free[state] ?? []) pending.push(next);
    }
    return found;
  }
}

/** The set at `from`, `[ab]`, `[!a-f]`, `[[:digit:]]`, and where it ends; null when it is not closed. */
export function readSet(pattern: readonly string[], from: number): { test: CharTest; end: number } | null {
  let i = from + 1;
  const negated = pattern[i] === "!" || pattern[i] === "^";
  if (negated) i++;
  const tests: CharTest[] = [];
  for (let first = true; i < pattern.length; first = false) {
    if (pattern[i] === "]" && !first) {
      const test: CharTest = (char) => char !== "/" && tests.some((each) => each(char)) !== negated;
      return { test, end: i + 1 };
    }
    const named = pattern[i] === "[" && pattern[i + 1] === ":" ? pattern.indexOf("]", i) : -1;
    const name = named < 0 ? undefined : posix[pattern.slice(i + 2, named - 1).join("")];
    if (name && pattern[named - 1] === ":") {
      tests.push((char) => name.test(char));
      i = named + 1;
      continue;
    }
    const [low, afterLow] = member(pattern, i);
    if (pattern[afterLow] === "-" && afterLow + 1 < pattern.length && pattern[afterLow + 1] !== "]") {
      const [high, afterHigh] = member(pattern, afterLow + 1);
      // As git does it: where a range begins counts even if it ends before that.
      tests.push((char) => char === low || (code(char) >= code(low) && code(char) <= code(high)));
      i = afterHigh;
    } else {
      tests.push((char) => char === low);
      i = afterLow;
    }
  }
  return null;
}

function member(pattern: readonly string[], at: number): [char: string, next: number] {
  const escaped = pattern[at] === "\\" && at + 1 < pattern.length;
  return [pattern[escaped ? at + 1 : at] ?? "", at + (escaped ? 2 : 1)];
}

function code(char: string): number {
  return char.codePointAt(0) ?? 0;
}

const posix: Readonly<Record<string, RegExp>> = {
  alnum: /[a-zA-Z0-9]/,
  alpha: /[a-zA-Z]/,
  blank: /[ \t]/,
  cntrl: /\p{Cc}/u,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /\s/,
  upper: /[A-Z]/,
  xdigit: /[a-fA-F0-9]/,
};
