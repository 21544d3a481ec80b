// What commands do to the project, kept so that it can be taken back: a look before and a look after each of them.
// Invariant: when a command starts, the content of every covered file is in the object store and a checkpoint names it
// (the whole tree once per session, then what changed since), however long that took; what it changed is what differs
// between the two looks. The first look is begun while the model still writes, and a run that ends without a command stops it.
// The git binary and the data in .git are never used. Not here: pre-images of single changes, which the door hands out.

import type { Entry } from "../../core/entry.js";
import { Cancelled } from "../../core/errors.js";
import type { FileChange } from "../../core/plan.js";
import type { Fs } from "../../lib/fs.js";
import type { ObjectStore } from "../../lib/object-store.js";
import { shownPath, within } from "../../lib/paths.js";
import { unlessAborted } from "../../lib/unless-aborted.js";
import { isDirectory, isFile, sameMode } from "../mode.js";
import type { SeenFiles } from "../seen.js";
import { type Changed, describeChanges } from "./changes.js";
import { describeGaps, listed } from "./gaps.js";
import { type Gap, type JournalLimits, Keeper, type Uncovered } from "./keep.js";
import { leaveIndex, recallIndex, slice, turn } from "./left-index.js";
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

export class Journal {
  readonly #options: JournalOptions;
  readonly #index: ProjectIndex;
  readonly #keeper: Keeper;
  /** New since the model was last told, and the kinds it was told of. */
  #gaps: Uncovered[] = [];
  readonly #told = new Set<Gap>();
  /** The same for questions to the user. */
  #unasked: Uncovered[] = [];
  readonly #asked = new Set<Gap>();
  #covered = true;
  /** Everything was looked at once. */
  #complete = false;
  /** A checkpoint names all of it. */
  #noted = false;
  /** Changed since the last checkpoint, by nobody's call. */
  #between: Delta[] = [];
  #loaded = false;
  #begun = false;
  #leaving = false;
  /** Looks are taken one after the other. */
  #last: Promise<unknown> = Promise.resolve();
  #cacheIsOld = false;

  constructor(options: JournalOptions) {
    const { disk, bases, skip, objects, limits, clock } = options;
    this.#options = options;
    const leave = (uncovered: Uncovered) => {
      this.#covered = false;
      if (!this.#told.has(uncovered.gap)) this.#gaps.push(uncovered);
      if (!this.#asked.has(uncovered.gap)) this.#unasked.push(uncovered);
    };
    this.#keeper = new Keeper({ disk, objects, limits, leave });
    this.#index = new ProjectIndex({
      disk,
      bases: bases.filter((base) => !bases.some((other) => other !== base && within(other, base))),
      skip,
      take: (candidate) => this.#keeper.take(candidate),
      excluded: (path, gap) => leave({ path, gap }),
      clock,
      most: limits.entries,
    });
  }

  get coverage(): "full" | "partial" {
    return this.#covered ? "full" : "partial";
  }

  /** A command may come: the first look begins in the background. `before` waits for it. */
  begin(): void {
    if (this.#begun || this.#complete) return;
    this.#begun = true;
    // Whoever needs it next looks again, and meets what went wrong here.
    this.#alone(() => this.#first(() => this.#leaving)).catch(() => {});
  }

  /** Before a command: everything it may destroy is kept when this resolves. Cancelled when that is no longer wanted. */
  async before(call: string, signal?: AbortSignal): Promise<void> {
    await unlessAborted(
      signal,
      this.#alone(() => this.#before(call, signal)),
    );
  }

  async #before(call: string, signal?: AbortSignal): Promise<void> {
    await this.#renew(signal);
    // What went away until now is no command's doing.
    this.#index.gone();
    const deltas = this.#between;
    this.#between = [];
    const { coverage } = this;
    if (!this.#noted) this.#options.checkpoint({ call, tree: await this.#putTree(), blobs: [], coverage });
    else if (deltas.length > 0) this.#options.checkpoint({ call, blobs: blobsOf(deltas, "after"), coverage });
    this.#noted = true;
  }

  /**
   * What could not be brought back of what lies at these paths, and, once per session, what else is not covered: sentences for
   * whoever is asked about a command. "" = nothing.
   */
  async atRisk(paths: readonly string[], signal?: AbortSignal): Promise<string> {
    return unlessAborted(
      signal,
      this.#alone(() => this.#atRisk(paths, signal)),
    );
  }

  async #atRisk(paths: readonly string[], signal?: AbortSignal): Promise<string> {
    await this.#renew(signal);
    const lost = paths.length === 0 ? [] : this.#unkeptAt(paths);
    const gaps = describeGaps(this.#unasked, [], (path) => this.#shown(path));
    for (const { gap } of this.#unasked) this.#asked.add(gap);
    this.#unasked = [];
    const named = lost.length === 0 ? "" : `[undo could not bring back: ${listed(lost)}]`;
    return [named, gaps].filter((text) => text !== "").join(" ");
  }

  #unkeptAt(paths: readonly string[]): string[] {
    const { objects } = this.#options;
    const hit = (path: string) => paths.some((each) => within(each, path));
    const files = [...this.#index.entries].flatMap(([path, { mode, hash }]) =>
      isDirectory(mode) || !hit(path) || (hash !== null && objects.has(hash)) ? [] : [this.#shown(path)],
    );
    const spots = this.#index.spots().filter(({ path }) => hit(path) || paths.some((each) => within(path, each)));
    return [...files, ...spots.map(({ path, mode }) => this.#shown(path) + (isDirectory(mode) ? "/" : ""))];
  }

  /** After it: what it changed. Changes that can be read in the text count as seen. */
  after(call: string): Promise<Witnessed> {
    return this.#alone(() => this.#after(call));
  }

  async #after(call: string): Promise<Witnessed> {
    const deltas = (await this.#look()) ?? [];
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

  /** The run is over: a first look that is still under way stops, and the index is left for the next session. */
  async flush(): Promise<void> {
    this.#leaving = true;
    await this.#alone(async () => {
      this.#leaving = false;
      this.#begun = false;
      if (!this.#cacheIsOld) return;
      this.#cacheIsOld = false;
      const { disk, cache } = this.#options;
      await leaveIndex(disk, cache, this.#index.entries);
    });
  }

  async #alone<Outcome>(work: () => Promise<Outcome>): Promise<Outcome> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Everything is known as it is now. */
  async #renew(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) throw new Cancelled();
    if (this.#complete) this.#between.push(...((await this.#look()) ?? []));
    else await this.#first(() => signal?.aborted === true);
    if (!this.#complete) throw new Cancelled();
  }

  /** What is taken stays taken when it is stopped; the next one goes on from there. */
  async #first(stop: () => boolean): Promise<void> {
    if (this.#complete) return;
    const { disk, cache, objects } = this.#options;
    if (!this.#loaded) await recallIndex(disk, cache, this.#index.entries, (hash) => objects.has(hash));
    this.#loaded = true;
    this.#complete = (await this.#look(stop)) !== null;
    if (!this.#complete) this.#cacheIsOld = true;
  }

  async #look(stop?: () => boolean): Promise<Delta[] | null> {
    const deltas = await this.#keeper.during(!this.#complete, () => this.#index.scan(stop));
    if (deltas?.length !== 0) this.#cacheIsOld = true;
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

  /** Every path with its state, as an object of the store; what is there and not covered has no hash. */
  async #putTree(): Promise<string> {
    const rows: string[] = [];
    for (const [path, { mode, hash }] of this.#index.entries) {
      if (rows.push(JSON.stringify([path, mode, hash])) % slice === 0) await turn();
    }
    for (const { path, mode } of this.#index.spots()) rows.push(JSON.stringify([path, mode, null]));
    return this.#options.objects.put(Buffer.from(rows.join("\n")));
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
