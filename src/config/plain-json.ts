// Plain JSON as a tree in which every member knows its line. What most settings files are is read without a parser of JSON
// with comments, which every start would load. Invariant: the tree is what located.ts makes of the same text.
// Deliberately says nothing about a text it does not take: null, and who can say what is wrong with it reads it again.

import type { Located, Member } from "./located.js";

/** A string, a bracket or sign, a line's end, or what else has no blank in it. */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|\n|[^\s{}[\],:"]+/g;

/** Null for what is no plain JSON, or nested deeper than `deepest`. */
export function locatePlain(text: string, deepest: number): Located | null {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  return new Reader(text.match(tokens) ?? [], deepest).value(0);
}

/** Of tokens that are known to be a value. */
class Reader {
  readonly #tokens: readonly string[];
  readonly #deepest: number;
  #at = 0;
  #line = 1;

  constructor(all: readonly string[], deepest: number) {
    this.#tokens = all;
    this.#deepest = deepest;
  }

  value(depth: number): Located | null {
    const token = this.#next();
    const line = this.#line;
    if (token === "{")
      return this.#list(
        depth,
        () => this.#member(depth),
        (members) => ({ is: "object", line, members }),
      );
    if (token === "[")
      return this.#list(
        depth,
        () => this.value(depth + 1),
        (items) => ({ is: "array", line, items }),
      );
    return { is: "scalar", line, value: JSON.parse(token) };
  }

  /** Up to the bracket that closes it. */
  #list<Item>(depth: number, read: () => Item | null, done: (items: Item[]) => Located): Located | null {
    if (depth >= this.#deepest) return null;
    const items: Item[] = [];
    for (let sign = this.#peek(); sign !== "}" && sign !== "]"; sign = this.#peek()) {
      if (sign === ",") this.#next();
      const item = read();
      if (item === null) return null;
      items.push(item);
    }
    this.#next();
    return done(items);
  }

  #member(depth: number): Member | null {
    const key = JSON.parse(this.#next()) as string;
    const line = this.#line;
    this.#next();
    const value = this.value(depth + 1);
    return value && { key, line, value };
  }

  #peek(): string {
    for (; this.#tokens[this.#at] === "\n"; this.#at++) this.#line++;
    return this.#tokens[this.#at] ?? "";
  }

  #next(): string {
    const token = this.#peek();
    this.#at++;
    return token;
  }
}
