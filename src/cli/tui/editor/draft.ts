// The text that is being written: characters, a cursor, undo, and marks for long pastes and images.
// Invariants: the cursor stands between two characters as a reader sees them; a mark is moved over and erased as a
// whole; whatever was pasted is sent byte for byte. Knows no keys and no screen.

import type { ImagePart } from "../../../core/message.js";
import { getSegmenter } from "../toolkit.js";
import { Marks } from "./marks.js";

interface State {
  text: string;
  cursor: number;
  marks: ReadonlySet<string>;
}

/** Longer pastes are folded. */
const longPaste = { lines: 8, characters: 1_000 };
const remembered = 200;

export class Draft {
  text = "";
  cursor = 0;
  #erased = { text: "", marks: [] as string[] };
  #past: State[] = [];
  #future: State[] = [];
  /** What kind of change the newest snapshot stands before: typing goes back word by word. */
  #kind = "";
  readonly #marks = new Marks();

  get empty(): boolean {
    return this.text.trim() === "";
  }

  /** What is meant: folded pastes in full. */
  get whole(): string {
    return this.#marks.whole(this.text);
  }

  /** Those whose marks are there. */
  get images(): ImagePart[] {
    return this.#marks.images(this.text);
  }

  /** What is meant, without images. */
  get words(): string {
    return this.#marks.whole(this.#marks.withoutImages(this.text));
  }

  /** Replaces everything, as one step. */
  set(text: string): void {
    this.#remember("set");
    this.text = text;
    this.cursor = text.length;
    this.#marks.settle(text);
  }

  clear(): void {
    this.text = "";
    this.cursor = 0;
    this.#past = [];
    this.#future = [];
    this.#marks.clear();
  }

  insert(text: string): void {
    this.#remember(/\s/.test(text) ? "blank" : "type");
    this.#splice(this.cursor, this.cursor, text);
  }

  paste(given: string): void {
    const text = given.replace(/\r\n?/g, "\n");
    const rows = text.split("\n").length;
    this.#remember("paste");
    const short = rows <= longPaste.lines && text.length <= longPaste.characters;
    this.#splice(this.cursor, this.cursor, short ? text : this.#marks.fold(text));
  }

  /** Images take the place of the text from `from` to the cursor, as a step of its own. */
  attach(from: number, images: readonly ImagePart[]): void {
    this.#remember("attach");
    const before = /(?:^|\s)$/.test(this.text.slice(0, from)) ? "" : " ";
    const marks = images.map((image) => this.#marks.attach(image)).join(" ");
    this.#splice(from, this.cursor, before + marks);
  }

  /** A text that was a draft before, as it is to stand here. */
  adopted(text: string, images: readonly ImagePart[]): string {
    return this.#marks.adopt(text, images);
  }

  left(): void {
    this.cursor = this.#before(this.cursor);
  }

  right(): void {
    this.cursor = this.#behind(this.cursor);
  }

  wordLeft(): void {
    this.cursor = this.#wordBefore();
  }

  wordRight(): void {
    this.cursor = this.#wordBehind();
  }

  lineStart(): void {
    this.cursor = this.#startOfLine();
  }

  lineEnd(): void {
    this.cursor = this.#endOfLine();
  }

  /** False when there is no such line. */
  vertical(step: 1 | -1): boolean {
    const start = this.#startOfLine();
    const column = this.cursor - start;
    const target = step < 0 ? start - 1 : this.#endOfLine() + 1;
    if (target < 0 || target > this.text.length) return false;
    const begin = step < 0 ? this.text.lastIndexOf("\n", target - 1) + 1 : target;
    const end = this.text.indexOf("\n", begin);
    this.cursor = this.#snapped(Math.min(begin + column, end < 0 ? this.text.length : end));
    return true;
  }

  erase(): void {
    this.#cut(this.#before(this.cursor), this.cursor, "erase");
  }

  eraseNext(): void {
    this.#cut(this.cursor, this.#behind(this.cursor), "erase");
  }

  eraseWord(): void {
    this.#keep(this.#wordBefore(), this.cursor);
  }

  eraseNextWord(): void {
    this.#keep(this.cursor, this.#wordBehind());
  }

  eraseToStart(): void {
    const start = this.#startOfLine();
    this.#keep(start === this.cursor ? Math.max(0, start - 1) : start, this.cursor);
  }

  eraseToEnd(): void {
    const end = this.#endOfLine();
    this.#keep(this.cursor, end === this.cursor ? Math.min(this.text.length, end + 1) : end);
  }

  /** The whole line with its end. */
  eraseLine(): void {
    const end = this.#endOfLine();
    this.#keep(this.#startOfLine(), Math.min(this.text.length, end + 1));
  }

  putBack(): void {
    const { text, marks } = this.#erased;
    if (text === "") return;
    this.#remember("put");
    this.#marks.standing = new Set([...this.#marks.standing, ...marks]);
    this.#splice(this.cursor, this.cursor, text);
  }

  /** Replaces a range, for completions. */
  replace(from: number, to: number, text: string): void {
    this.#remember("complete");
    this.#splice(from, to, text);
  }

  undo(): void {
    this.#travel(this.#past, this.#future);
  }

  redo(): void {
    this.#travel(this.#future, this.#past);
  }

  #travel(from: State[], to: State[]): void {
    const state = from.pop();
    if (!state) return;
    to.push(this.#state);
    this.text = state.text;
    this.cursor = state.cursor;
    this.#marks.standing = state.marks;
    this.#marks.settle(state.text);
    this.#kind = "";
  }

  #keep(from: number, to: number): void {
    if (from === to) return;
    const text = this.text.slice(from, to);
    this.#erased = { text, marks: [...this.#marks.standing].filter((mark) => text.includes(mark)) };
    this.#cut(from, to, "kill");
  }

  #cut(from: number, to: number, kind: string): void {
    if (from === to) return;
    this.#remember(kind);
    this.#splice(from, to, "");
  }

  #splice(from: number, to: number, text: string): void {
    this.text = this.text.slice(0, from) + text + this.text.slice(to);
    this.cursor = from + text.length;
    this.#marks.settle(this.text);
  }

  get #state(): State {
    return { text: this.text, cursor: this.cursor, marks: this.#marks.standing };
  }

  #remember(kind: string): void {
    const goesOn = kind === this.#kind && (kind === "type" || kind === "erase");
    this.#kind = kind;
    this.#future = [];
    if (goesOn) return;
    this.#past.push(this.#state);
    if (this.#past.length > remembered) this.#past.shift();
  }

  #startOfLine(): number {
    return this.text.lastIndexOf("\n", this.cursor - 1) + 1;
  }

  #endOfLine(): number {
    const end = this.text.indexOf("\n", this.cursor);
    return end < 0 ? this.text.length : end;
  }

  #before(at: number): number {
    const mark = this.#places().find(([, end]) => end === at);
    if (mark) return mark[0];
    if (at === 0) return 0;
    const from = Math.max(0, at - 64);
    let last = from;
    for (const { index } of getSegmenter().segment(this.text.slice(from, at))) last = from + index;
    return last;
  }

  #behind(at: number): number {
    const mark = this.#places().find(([start]) => start === at);
    if (mark) return mark[1];
    for (const { segment } of getSegmenter().segment(this.text.slice(at, at + 64))) return at + segment.length;
    return at;
  }

  #snapped(at: number): number {
    return this.#places().find(([start, end]) => start < at && at < end)?.[0] ?? at;
  }

  #wordBefore(): number {
    const before = this.text.slice(0, this.cursor);
    const word = /(?:[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+)\s*$/u.exec(before);
    return this.#snapped(word ? word.index : 0);
  }

  #wordBehind(): number {
    const word = /^\s*(?:[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+)?/u.exec(this.text.slice(this.cursor));
    const at = this.cursor + (word?.[0].length ?? 0);
    return this.#places().find(([start, end]) => start < at && at < end)?.[1] ?? at;
  }

  #places(): [number, number][] {
    return this.#marks.places(this.text);
  }
}
