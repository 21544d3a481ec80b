// What commands do to the project, kept so that it can be taken back: a look before and a look after each of them.
// Invariant: when a command starts, the content of every covered file is in the object store and a checkpoint names it
// (the whole tree once per session, then what changed since); what it changed is what differs between the two looks.
// The git binary and the data in .git are never used. Not here: pre-images of single changes, which the door hands out.

import type { Entry } from "../../core/entry.js";
import type { FileChange } from "../../core/plan.js";
import { replaceFile } from "../../lib/atomic-file.js";
import type { Fs } from "../../lib/fs.js";
import { parseJson } from "../../lib/json.js";
import type { ObjectStore } from "../../lib/object-store.js";
import { shownPath, within } from "../../lib/paths.js";
import { isDirectory, isFile, sameMode } from "../mode.js";
import type { SeenFiles } from "../seen.js";
import { type Changed, describeChanges } from "./changes.js";
import { describeGaps } from "./gaps.js";
import { type Gap, type JournalLimits, Keeper, type Uncovered } from "./keep.js";
import { type Delta, ProjectIndex } from "./scan.js";
import type { Known } from "./stamps.js";

export interface JournalOptions {
  disk: Fs;
  /** Canonical; `bases[0]` is the project root. */
  bases: readonly string[];
  /** What the model is shown paths relative to; default: the project root. */
  cwd?: string;
  /** Directories that are never looked into: the state of Cinch itself. */
  skip: readonly string[];
  objects: ObjectStore;
  seen: SeenFiles;
  limits: JournalLimits;
  clock: { now(): number; mono(): number };
  /** File in which the index is left for the next session, so that its first look is a look at time stamps only. */
  cache: string;
  checkpoint(data: Entry<"checkpoint">["data"]): void;
  /** Is the content of this path not to be shown? Default: of none. */
  conceals?(path: string): boolean;
}

export interface Witnessed {
  files: FileChange[];
  /** What the model reads of it; "" = nothing. */
  text: string;
  coverage: "full" | "partial";
}

/** Milliseconds for a walk; directories it does not reach are not covered. */
const walkBudget = 500;

export class Journal {
  readonly #options: JournalOptions;
  readonly #index: ProjectIndex;
  readonly #keeper: Keeper;
  /** New since the model was last told, and the kinds it was told of. */
  #gaps: Uncovered[] = [];
  readonly #told = new Set<Gap>();
  #covered = true;
  #first = true;
  #ended = Number.NEGATIVE_INFINITY;
  #took = 0;
  #cacheIsOld = false;

  constructor(options: JournalOptions) {
    const { disk, bases, skip, objects, limits, clock } = options;
    this.#options = options;
    const leave = (uncovered: Uncovered) => {
      this.#covered = false;
      if (!this.#told.has(uncovered.gap)) this.#gaps.push(uncovered);
    };
    this.#keeper = new Keeper({ disk, objects, limits, mono: () => clock.mono(), leave });
    this.#index = new ProjectIndex({
      disk,
      bases: bases.filter((base) => !bases.some((other) => other !== base && within(other, base))),
      skip,
      take: (candidate) => this.#keeper.take(candidate),
      excluded: (path, gap) => leave({ path, gap }),
      clock,
      budget: walkBudget,
    });
  }

  get coverage(): "full" | "partial" {
    return this.#covered ? "full" : "partial";
  }

  /** Before a command: everything it may destroy is kept when this resolves. */
  async before(call: string): Promise<void> {
    // A look that ended less time ago than it took would see nothing that the last one could not have missed as well.
    if (this.#options.clock.mono() - this.#ended < this.#took) return;
    const first = this.#first;
    if (first) this.#loadCache();
    const deltas = await this.#look();
    // What went away until now is no command's doing.
    this.#index.gone();
    const { coverage } = this;
    if (first) this.#options.checkpoint({ call, tree: this.#putTree(), blobs: [], coverage });
    else if (deltas.length > 0) this.#options.checkpoint({ call, blobs: blobsOf(deltas, "after"), coverage });
  }

  /** After it: what it changed. Changes that can be read in the text count as seen. */
  async after(call: string): Promise<Witnessed> {
    const deltas = await this.#look();
    const changes = deltas.flatMap((delta) => this.#changed(delta));
    if (deltas.length > 0) {
      this.#options.checkpoint({ call, blobs: blobsOf(deltas, "before"), coverage: this.coverage });
    }
    const { objects, conceals } = this.#options;
    const { text, shown } = await describeChanges(changes, (hash) => objects.get(hash), conceals);
    const seen = this.#markSeen(changes, shown);
    const files = changes.map((change) => fileChange(change, seen.has(change.path)));
    const lost = this.#lost(deltas);
    if (lost.length > 0) this.#covered = false;
    const told = describeGaps(
      this.#gaps,
      lost.map(({ path }) => this.#shown(path)),
      (path) => this.#shown(path),
    );
    for (const { gap } of this.#gaps) this.#told.add(gap);
    this.#gaps = [];
    return {
      files: [...files, ...lost],
      text: [text, told].filter((part) => part !== "").join("\n"),
      coverage: this.coverage,
    };
  }

  /** Leaves the index for the next session. */
  async flush(): Promise<void> {
    if (!this.#cacheIsOld) return;
    this.#cacheIsOld = false;
    const { disk, cache } = this.#options;
    disk.mkdirSync(cache.slice(0, cache.lastIndexOf("/")), { recursive: true, mode: 0o700 });
    const rows: string[] = [];
    for (const [path, { mode, hash, size, mtime, ctime, ino, settled }] of this.#index.entries) {
      if (hash === null || isDirectory(mode) || !settled) continue;
      rows.push(JSON.stringify([path, mode, hash, size, mtime, ctime, ino]));
    }
    await replaceFile(disk, cache, rows.join("\n"), { mode: 0o600, sync: false });
  }

  async #look(): Promise<Delta[]> {
    const { mono } = this.#options.clock;
    const began = mono();
    const deltas = await this.#keeper.during(this.#first, () => this.#index.scan());
    this.#first = false;
    this.#ended = mono();
    this.#took = this.#ended - began;
    if (deltas.length > 0) this.#cacheIsOld = true;
    return deltas;
  }

  /** Nothing when one of the two sides has no name: it was, or is, beyond the limits. */
  #changed({ path, before, after }: Delta): Changed[] {
    if (before?.hash === null || after?.hash === null) return [];
    const side = (known: Known | null) => (known?.hash ? { hash: known.hash, mode: known.mode } : null);
    return [{ path, name: this.#shown(path), before: side(before), after: side(after) }];
  }

  /** What changed and was not kept: known by name alone, or not looked into at all. */
  #lost(deltas: readonly Delta[]): FileChange[] {
    const lost = new Map<string, FileChange>();
    for (const { path, before, after } of deltas) {
      if (before?.hash !== null && after?.hash !== null) continue;
      const gone = before !== null && after?.ino !== before.ino;
      lost.set(path, uncoveredChange(path, before, after, gone));
    }
    for (const { path, mode } of this.#index.gone()) lost.set(path, uncoveredChange(path, { mode }, null, true));
    return [...lost.values()];
  }

  #markSeen(changes: readonly Changed[], shown: readonly { path: string; hash: string; text: string }[]): Set<string> {
    const { seen } = this.#options;
    const marked = new Set<string>();
    const texts = new Map(shown.map((each) => [each.path, each]));
    for (const { path, before, after } of changes) {
      const known = seen.hash(path);
      if (!after) seen.forget(path);
      const now = texts.get(path);
      if (!now || (before && before.hash !== known)) continue;
      seen.mark(path, now.hash, now.text);
      marked.add(path);
    }
    return marked;
  }

  #shown(path: string): string {
    return shownPath(this.#options.cwd ?? this.#options.bases[0] ?? "/", path);
  }

  /** Every path with its state, as an object of the store. */
  #putTree(): string {
    const rows = [...this.#index.entries].map(([path, { mode, hash }]) => JSON.stringify([path, mode, hash]));
    return this.#options.objects.put(Buffer.from(rows.join("\n")));
  }

  #loadCache(): void {
    const { disk, cache, objects } = this.#options;
    if (!disk.existsSync(cache)) return;
    for (const line of disk.readFileSync(cache, "utf8").split("\n")) {
      const row = parseJson(line);
      if (!Array.isArray(row)) continue;
      const [path, mode, hash, size, mtime, ctime, ino] = row as [
        string,
        number,
        string,
        number,
        number,
        number,
        number,
      ];
      if (!objects.has(hash)) continue;
      this.#index.entries.set(path, { mode, hash, size, mtime, ctime, ino, settled: true, met: 0 });
    }
  }
}

function blobsOf(deltas: readonly Delta[], side: "before" | "after") {
  return deltas.flatMap((delta) => {
    const known = delta[side];
    // A state whose content was never taken cannot be brought back, so it is not listed as if it could.
    if (known && known.hash === null) return [];
    return [{ path: delta.path, before: known?.hash ?? null, mode: known?.mode ?? null }];
  });
}

function uncoveredChange(
  path: string,
  before: { mode: number; hash?: string | null } | null,
  after: { mode: number; hash?: string | null } | null,
  gone: boolean,
): FileChange {
  return {
    path,
    before: before?.hash ?? null,
    after: after?.hash ?? null,
    mode: { before: before?.mode ?? null, after: after?.mode ?? null },
    unseen: true,
    uncovered: gone ? "gone" : "changed",
  };
}

/** Kinds and modes are said only where a content hash does not say it all. */
function fileChange({ path, before, after }: Changed, seen: boolean): FileChange {
  const change: FileChange = { path, before: before?.hash ?? null, after: after?.hash ?? null };
  const plain = [before, after].every((side) => side === null || isFile(side.mode));
  const same = before && after ? sameMode(before.mode, after.mode) : true;
  if (!plain || !same) change.mode = { before: before?.mode ?? null, after: after?.mode ?? null };
  if (after && !seen) change.unseen = true;
  return change;
}
