// One pass over a text that replaces every find by its mark. The whole and the pieces are the same code: the whole is one
// piece with nothing behind it.
// Invariants: what is put out never depends on where the text was cut; what is held back is shorter than the longest
// finder looks; nothing is copied when nothing is found.

import type { Pieces } from "../core/redactor.js";
import { type Finder, more } from "./finders.js";

/** Finders by the two characters that a find begins with. */
export class FinderIndex {
  readonly #pairs = new Uint8Array(0x10000);
  readonly #byFirst = new Map<number, Finder[]>();
  /** By both: of hundreds of finders hardly one begins with these. */
  readonly #byBoth = new Map<number, Finder[]>();
  readonly isEmpty: boolean;

  constructor(finders: readonly Finder[]) {
    this.isEmpty = finders.length === 0;
    for (const finder of finders) {
      const [first, second] = [finder.prefix.charCodeAt(0), finder.prefix.charCodeAt(1)];
      const same = this.#byFirst.get(first);
      if (same) same.push(finder);
      else this.#byFirst.set(first, [finder]);
      const both = (first << 16) | second;
      const alike = this.#byBoth.get(both);
      if (alike) alike.push(finder);
      else this.#byBoth.set(both, [finder]);
      for (const code of finder.breaks ? [second, 0x0a, 0x0d, 0x5c] : [second]) this.#pairs[hash(first, code)] = 1;
    }
  }

  /** The next place from `at` on where something may begin; hardly anywhere does. The length of the text when there is none. */
  next(text: string, at: number): number {
    const [pairs, last] = [this.#pairs, text.length - 1];
    let first = text.charCodeAt(at);
    for (let place = at; place < last; place++) {
      const second = text.charCodeAt(place + 1);
      if (pairs[hash(first, second)] === 1) return place;
      first = second;
    }
    // The second character is not known yet.
    return at <= last && this.#byFirst.has(first) ? last : text.length;
  }

  /** What may begin with these two characters; `second`: NaN where the text ends. */
  at(first: number, second: number): readonly Finder[] {
    const isOpen = Number.isNaN(second) || second === 0x0a || second === 0x0d || second === 0x5c;
    return (isOpen ? this.#byFirst.get(first) : this.#byBoth.get((first << 16) | second)) ?? [];
  }
}

/** Two codes in 16 bits; characters beyond Latin-1 may collide, which costs a second look. */
function hash(first: number, second: number): number {
  return ((first & 0xff) << 8) | (second & 0xff);
}

export function scanned(index: FinderIndex, text: string): string {
  return index.isEmpty ? text : new Scanner(index).take(text, true);
}

/** What stands for a find. */
type Mark = (name: string, length: number) => string;

const named: Mark = (name) => `[redacted:${name}]`;

export class Scanner implements Pieces<string> {
  readonly #index: FinderIndex;
  readonly #mark: Mark;
  #held = "";
  #before = -1;
  /** What still belongs to the last find. */
  #rest: Uint8Array | undefined;

  constructor(index: FinderIndex, mark: Mark = named) {
    this.#index = index;
    this.#mark = mark;
  }

  push(piece: string): string {
    return this.take(piece, false);
  }

  end(): string {
    const last = this.take("", true);
    this.#before = -1;
    this.#rest = undefined;
    return last;
  }

  take(piece: string, ended: boolean): string {
    const text = this.#held === "" ? piece : this.#held + piece;
    let at = this.#pass(text, 0);
    let kept = at;
    let out = "";
    while (at < text.length) {
      at = this.#index.next(text, at);
      if (at === text.length) break;
      const found = this.#find(text, at, ended);
      if (found === more) break;
      if (found === null) {
        at++;
        continue;
      }
      out += text.slice(kept, at) + this.#mark(found.name, found.length);
      this.#rest = found.rest;
      at = this.#pass(text, at + found.length);
      kept = at;
    }
    this.#held = text.slice(at);
    if (at > 0) this.#before = text.charCodeAt(at - 1);
    return kept === 0 && at === text.length ? text : out + text.slice(kept, at);
  }

  /** Behind what still belongs to the last find. */
  #pass(text: string, from: number): number {
    const rest = this.#rest;
    if (!rest) return from;
    let at = from;
    while (at < text.length && rest[text.charCodeAt(at)] === 1) at++;
    if (at < text.length) this.#rest = undefined;
    return at;
  }

  /** The longest find at this place; `more` when that cannot be said yet. */
  #find(
    text: string,
    at: number,
    ended: boolean,
  ): { name: string; length: number; rest?: Uint8Array } | null | typeof more {
    const before = at > 0 ? text.charCodeAt(at - 1) : this.#before;
    let best: Finder | undefined;
    let length = 0;
    for (const finder of this.#index.at(text.charCodeAt(at), text.charCodeAt(at + 1))) {
      const found = finder.find(text, at, before, ended);
      if (found === more) return more;
      if (found <= length) continue;
      best = finder;
      length = found;
    }
    if (!best) return null;
    return best.rest ? { name: best.name, length, rest: best.rest } : { name: best.name, length };
  }
}
