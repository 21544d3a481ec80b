// The paths of a project in memory, for `@` completion: what ripgrep lists, so ignore files count. Listed when it is first
// needed and again when it is older than some seconds; meanwhile the list before answers, so a key never waits.

import type { Candidate } from "./candidate.js";
import { score } from "./candidate.js";

const freshMs = 5_000;
const most = 200_000;

export interface FileSource {
  /** Paths below the root, directories not among them. */
  list(signal: AbortSignal): Promise<string[]>;
  now(): number;
}

export class FileIndex {
  readonly #source: FileSource;
  #paths: string[] = [];
  #lower: string[] = [];
  #listed = Number.NEGATIVE_INFINITY;
  /** Of the newest search: what fits a longer word is among what fitted its beginning. */
  #last: { query: string; fitting: number[] } | null = null;
  #listing: Promise<void> | undefined;

  constructor(source: FileSource) {
    this.#source = source;
  }

  /** Resolves when the list is new enough; true when it was made anew. */
  async refresh(): Promise<boolean> {
    if (this.#source.now() - this.#listed < freshMs) return false;
    this.#listing ??= this.#list().finally(() => {
      this.#listing = undefined;
    });
    await this.#listing;
    return true;
  }

  /** The best `count`, best first. Upper case counts where the query has some. */
  find(query: string, count: number): Candidate[] {
    const exact = query !== query.toLowerCase();
    const among = exact ? this.#paths : this.#lower;
    const best: { at: number; points: number }[] = [];
    const fitting: number[] = [];
    for (const at of this.#worth(query)) {
      const points = score(among[at] as string, query);
      if (points === null) continue;
      fitting.push(at);
      const worst = best.at(-1);
      if (best.length >= count && worst && worst.points >= points) continue;
      let place = best.length;
      while (place > 0 && (best[place - 1] as { points: number }).points < points) place--;
      best.splice(place, 0, { at, points });
      if (best.length > count) best.pop();
    }
    this.#last = { query, fitting };
    return best.map(({ at }) => candidate(this.#paths[at] as string));
  }

  #worth(query: string): Iterable<number> {
    const { query: before, fitting } = this.#last ?? { query: null, fitting: [] };
    // Among lower-case paths nothing is left out that an exact search would find.
    return before !== null && query.startsWith(before) ? fitting : this.#paths.keys();
  }

  async #list(): Promise<void> {
    const files = await this.#source.list(new AbortController().signal);
    this.#paths = withDirectories(files).slice(0, most);
    this.#lower = this.#paths.map((path) => path.toLowerCase());
    this.#listed = this.#source.now();
    this.#last = null;
  }
}

function candidate(path: string): Candidate {
  const quoted = /[\s"]/.test(path) ? `@"${path}"` : `@${path}`;
  return { insert: path.endsWith("/") ? quoted : `${quoted} `, label: path, doc: "" };
}

function withDirectories(files: readonly string[]): string[] {
  const directories = new Set<string>();
  for (const file of files) {
    for (let at = file.lastIndexOf("/"); at > 0; at = file.lastIndexOf("/", at - 1)) {
      const directory = file.slice(0, at + 1);
      if (directories.has(directory)) break;
      directories.add(directory);
    }
  }
  return [...directories, ...files];
}
