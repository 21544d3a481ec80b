// What the model has seen of each file: the hash of the content it was last shown or wrote itself, and which lines of it.
// Invariant: an entry means "the model knows these lines of this content"; a change by anybody else makes the hashes
// differ, which is how stale edits are found. Times and sizes are never used for that.
// Lines shown outside of a read (search hits, output of a command) come without a hash: they count while the line with
// that number has that text. Small texts are kept, within a fixed budget, so that a stale refusal can show what changed.

import type { FileChange } from "../core/plan.js";
import { type Span, union } from "./spans.js";

const textLimit = 256 * 1024;
const textBudget = 2 * 1024 * 1024;
const shownBudget = 20_000;

interface Known {
  hash: string;
  /** null = all of it. */
  spans: readonly Span[] | null;
}

/** One line as it was shown. */
export type ShownLine = readonly [line: number, text: string];

export class SeenFiles {
  readonly #known = new Map<string, Known>();
  readonly #texts = new Map<string, string>();
  readonly #shown = new Map<string, Map<number, string>>();
  #kept = 0;
  #shownLines = 0;

  /** sha256 of the content last seen as a whole at a canonical path. */
  hash(path: string): string | undefined {
    const known = this.#known.get(path);
    return known?.spans === null ? known.hash : undefined;
  }

  /** What was last seen there, whole or in part. */
  last(path: string): Readonly<Known> | undefined {
    return this.#known.get(path);
  }

  /** The text last seen, when it was small and not long ago; also that of a file deleted since. */
  text(path: string): string | undefined {
    return this.#texts.get(path);
  }

  /** `spans`: the lines that were shown, when not all. They are added to those of the same content. */
  mark(path: string, hash: string, text?: string, spans?: readonly Span[]): void {
    const known = this.#known.get(path);
    const whole = spans === undefined || (known?.hash === hash && known.spans === null);
    const before = known?.hash === hash ? (known.spans ?? []) : [];
    this.#known.set(path, { hash, spans: whole ? null : union(before, spans) });
    this.#drop(path);
    if (text === undefined || text.length > textLimit) return;
    this.#texts.set(path, text);
    this.#kept += text.length;
    for (const oldest of this.#texts.keys()) {
      if (this.#kept <= textBudget) break;
      this.#drop(oldest);
    }
  }

  /** Lines that were shown, of a file whose content as a whole is not known. */
  markLines(path: string, lines: readonly ShownLine[]): void {
    const shown = this.#shown.get(path) ?? new Map<number, string>();
    this.#hide(path);
    for (const [line, text] of lines) shown.set(line, text);
    this.#shown.set(path, shown);
    this.#shownLines += shown.size;
    for (const oldest of this.#shown.keys()) {
      if (this.#shownLines <= shownBudget) break;
      this.#hide(oldest);
    }
  }

  /** The lines of the present content that the model knows. */
  spans(path: string, now: { hash: string; lines: () => readonly string[] }): readonly Span[] {
    const known = this.#known.get(path);
    const of = known?.hash === now.hash ? known.spans : [];
    if (of === null) return [[1, Number.POSITIVE_INFINITY]];
    const shown = this.#shown.get(path);
    if (!shown) return of;
    const lines = now.lines();
    const same = [...shown].filter(([line, text]) => lines[line - 1] === text);
    return union(
      of,
      same.map(([line]) => [line, line]),
    );
  }

  /** It was deleted. Its text is kept, so that what is written there next can be compared with it. */
  remove(path: string, text?: string): void {
    this.mark(path, "", text);
    this.#known.delete(path);
    this.#hide(path);
  }

  forget(path: string): void {
    this.#known.delete(path);
    this.#hide(path);
    this.#drop(path);
  }

  /** As new. */
  clear(): void {
    this.#known.clear();
    this.#texts.clear();
    this.#shown.clear();
    this.#kept = 0;
    this.#shownLines = 0;
  }

  /** Replays the changes recorded in a session, oldest first, as on resume. */
  restore(changes: Iterable<FileChange>): void {
    for (const { path, after, lines } of changes) {
      if (after === null) this.forget(path);
      else this.mark(path, after, undefined, lines);
    }
  }

  #drop(path: string): void {
    this.#kept -= this.#texts.get(path)?.length ?? 0;
    this.#texts.delete(path);
  }

  #hide(path: string): void {
    this.#shownLines -= this.#shown.get(path)?.size ?? 0;
    this.#shown.delete(path);
  }
}
