// What the model has seen of each file: the hash of the content it was last shown or wrote itself.
// Invariant: an entry means "the model knows this content"; a change by anybody else makes the hashes differ, which is
// how stale edits are found. Times and sizes are never used for that.
// Small texts are kept as well, within a fixed budget, so that a stale refusal can show what changed.

import type { FileChange } from "../core/plan.js";

const textLimit = 256 * 1024;
const textBudget = 2 * 1024 * 1024;

export class SeenFiles {
  readonly #hashes = new Map<string, string>();
  readonly #texts = new Map<string, string>();
  #kept = 0;

  /** sha256 of the content last seen at a canonical path. */
  hash(path: string): string | undefined {
    return this.#hashes.get(path);
  }

  /** The text last seen, when it was small and not long ago; also that of a file deleted since. */
  text(path: string): string | undefined {
    return this.#texts.get(path);
  }

  mark(path: string, hash: string, text?: string): void {
    this.#hashes.set(path, hash);
    this.#drop(path);
    if (text === undefined || text.length > textLimit) return;
    this.#texts.set(path, text);
    this.#kept += text.length;
    for (const oldest of this.#texts.keys()) {
      if (this.#kept <= textBudget) break;
      this.#drop(oldest);
    }
  }

  /** It was deleted. Its text is kept, so that what is written there next can be compared with it. */
  remove(path: string, text?: string): void {
    this.mark(path, "", text);
    this.#hashes.delete(path);
  }

  forget(path: string): void {
    this.#hashes.delete(path);
    this.#drop(path);
  }

  /** Replays the changes recorded in a session, oldest first, as on resume. */
  restore(changes: Iterable<FileChange>): void {
    for (const { path, after } of changes) {
      if (after === null) this.forget(path);
      else this.mark(path, after);
    }
  }

  #drop(path: string): void {
    this.#kept -= this.#texts.get(path)?.length ?? 0;
    this.#texts.delete(path);
  }
}
