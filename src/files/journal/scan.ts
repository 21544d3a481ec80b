// What is in the project and what changed since the last look: one walk of lstat calls against an index in memory.
// Invariant: a file is read only when its stat differs, or when its time stamps are so young that a further change might
// not show in them; so an unchanged project costs one lstat per entry. Every change since the last scan is returned once.
// Kinds of entries: regular files, links (content = target) and directories (content = ""). Never entered: `.git` and the
// like, and what was excluded: large ignored trees, what cannot be read, directories beyond the limit of entries. What was
// met before it came to lie in such a tree is still met; what comes into sight late was there before, as far as is known.
// No clock decides what is found: a slow disk makes a scan longer, never shorter. It runs in slices between which the event
// loop gets its turn, and can be stopped at each of them.

import type { Stats } from "node:fs";
import { codeOf } from "../../core/errors.js";
import { sweepTemps } from "../../lib/atomic-file.js";
import type { Fs } from "../../lib/fs.js";
import { sha256 } from "../../lib/hash.js";
import { parent, within } from "../../lib/paths.js";
import { isDirectory, isFile, isLink } from "../mode.js";
import { BlindSpots, type Gone } from "./blind-spots.js";
import { Ignored, type Tree } from "./ignored.js";
import { readNames } from "./names.js";
import { type Known, stamps, unchanged } from "./stamps.js";

export interface Delta {
  path: string;
  before: Known | null;
  after: Known | null;
}

export type Excluded = "tree" | "unreadable" | "special" | "count" | "name";

export interface Candidate {
  path: string;
  stat: Stats;
  before: Known | null;
  /** Left out by .gitignore. */
  ignored(): Promise<boolean>;
}

export interface ScanOptions {
  disk: Fs;
  /** Canonical directories, none inside another. */
  bases: readonly string[];
  /** Canonical paths that are never entered. */
  skip: readonly string[];
  /** Takes the content of a file or link; returns its hash, null when it is not taken, undefined when it is gone. */
  take(candidate: Candidate): Promise<string | null | undefined>;
  excluded(path: string, why: Excluded): void;
  /** Wall clock and stop watch, milliseconds. */
  clock: { now(): number; mono(): number };
  /** Entries that are looked at; a directory whose names would go beyond that is excluded with all that is in it. */
  most: number;
}

interface Place {
  path: string;
  base: string;
  known: Known | undefined;
  /** Directories with a .gitignore, from the base down to here. */
  rules: readonly string[];
  tree: Tree | null;
  /** Could not be looked at until now, so nothing in it counts as new. */
  late: boolean;
}

/** Entries of an ignored tree that are looked at; a tree with more is left out as a whole. */
const treeLimit = 1_000;
/** Time stamps come in ticks of up to 10 ms; what is younger than two may change again without showing it. */
const youngMs = 20;
/** The event loop gets its turn this often. */
const sliceMs = 10;

export class ProjectIndex {
  readonly entries = new Map<string, Known>();
  readonly #options: ScanOptions;
  readonly #spots: BlindSpots;
  /** What could not be looked at the last time. */
  #unread = new Set<string>();
  #unreadNow = new Set<string>();
  /** Ignored trees in which nothing new is looked at. */
  readonly #closed = new Set<string>();
  readonly #ignored: Ignored;
  #scan = 0;
  #began = 0;
  #slice = 0;
  /** Entries this scan has met. */
  #met = 0;
  #stop: () => boolean = never;
  #stopped = false;
  #pending: { place: Place; path: string; stat: Stats }[] = [];
  #deltas: Delta[] = [];

  constructor(options: ScanOptions) {
    this.#options = options;
    this.#spots = new BlindSpots(options.disk);
    this.#ignored = new Ignored(options.disk);
  }

  /** What is not looked at and went away since the last call; ask after `scan`. */
  gone(): Gone[] {
    return this.#spots.gone();
  }

  /** What is there, left out, and would be missed. */
  spots(): Gone[] {
    return this.#spots.all();
  }

  /**
   * Changes since the last call, by path; on the first call everything there is. `stop` is asked after each slice: once it says
   * yes the scan ends with null, and the next one finds what this one has taken.
   */
  async scan(stop: () => boolean = never): Promise<Delta[] | null> {
    const { clock } = this.#options;
    this.#scan++;
    this.#met = 0;
    this.#stop = stop;
    this.#stopped = false;
    this.#began = clock.now();
    this.#pending = [];
    this.#deltas = [];
    this.#unreadNow = new Set();
    await this.#walk();
    for (const each of this.#pending) {
      if (this.#stopped) break;
      if (each.place.tree?.over) continue;
      if (this.#isTired()) await this.#breathe();
      await this.#judge(each);
    }
    this.#pending = [];
    if (this.#stopped) return null;
    for (const [path, known] of this.entries) {
      if (known.met === this.#scan) continue;
      this.entries.delete(path);
      this.#deltas.push({ path, before: known, after: null });
    }
    this.#unread = this.#unreadNow;
    if (this.#deltas.some(({ path }) => path.endsWith("/.gitignore"))) this.#forgetRules();
    return this.#deltas.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async #walk(): Promise<void> {
    const { bases, clock } = this.#options;
    this.#slice = clock.mono();
    const first = { known: undefined, rules: [], tree: null };
    const queue = bases.map((path): Place => ({ ...first, path, base: path, late: this.#unread.has(path) }));
    // Breadth first, so that what is left out beyond the limit is what lies deepest.
    for (let at = 0; at < queue.length && !this.#stopped; at++) {
      const place = queue[at] as Place;
      if (place.tree?.over) continue;
      if (this.#isTired()) await this.#breathe();
      const names = this.#names(place);
      if (!names) continue;
      if (this.#met + names.length > this.#options.most) {
        this.#exclude([place.path], "count");
        continue;
      }
      this.#met += names.length;
      for (const inner of await this.#enter(place, names)) queue.push(inner);
    }
  }

  /** Looks at what is in a directory; returns the directories in it. */
  async #enter(place: Place, names: readonly string[]): Promise<Place[]> {
    const rules = names.includes(".gitignore") ? [...place.rules, place.path] : place.rules;
    const here = { ...place, rules };
    const found: Place[] = [];
    for (const name of names) {
      const inner = this.#visit(here, name);
      const last = this.#pending.at(-1);
      // What lies in an ignored tree waits until the tree is known to be small enough.
      if (last && !last.place.tree) {
        this.#pending.pop();
        await this.#judge(last);
      }
      if (this.#isTired()) await this.#breathe();
      if (this.#stopped) return [];
      if (!inner) continue;
      if (!inner.tree && (await this.#isTree(inner))) inner.tree = { path: inner.path, entries: 0, over: false };
      found.push(inner);
    }
    return found;
  }

  /** What is in a directory; a listing is used again as long as the directory's own time stamps stand still. */
  #names({ path, known }: Place): readonly string[] | null {
    if (known?.names && known.settled) return known.names;
    try {
      const { names, own, odd, unfinished } = readNames(this.#options.disk, path);
      if (unfinished) sweepTemps(this.#options.disk, path);
      if (known) {
        known.names = names;
        known.settled = known.ctime < this.#began - youngMs;
      }
      for (const name of own) this.#spots.find(below(path, name), below(path, name));
      for (const { name, at } of odd) {
        if (this.#spots.find(below(path, name), at)) this.#options.excluded(below(path, name), "name");
      }
      return names;
    } catch (error) {
      if (codeOf(error) !== "ENOENT" && codeOf(error) !== "ENOTDIR") this.#unreadable(path);
      return null;
    }
  }

  /** Looks at one entry; returns it when it is a directory to be entered. */
  #visit(place: Place, name: string): Place | null {
    const { skip, excluded } = this.#options;
    const path = below(place.path, name);
    if (place.tree?.over || this.#spots.has(path) || skip.includes(path)) return null;
    const known = this.entries.get(path);
    if (!known && place.tree && !this.#hasRoom(place.tree)) return null;
    const stat = this.#stat(path);
    if (!stat) return null;
    const { mode } = stat;
    const late = place.late || this.#unread.has(path);
    if (isDirectory(mode)) return { ...place, path, late, known: this.#directory(path, stat, known, late) };
    if (!isFile(mode) && !isLink(mode)) {
      this.#spots.add(path, null);
      excluded(path, "special");
    } else if (known?.settled && unchanged(known, stat)) known.met = this.#scan;
    else this.#pending.push({ place: { ...place, late }, path, stat });
    return null;
  }

  /** For one more new entry in an ignored tree. Files in it that were met before it was one go on being looked at. */
  #hasRoom(tree: Tree): boolean {
    if (this.#closed.has(tree.path)) return false;
    if (++tree.entries <= treeLimit) return true;
    // While the walk goes on, files in the index are those of earlier looks.
    const met = [...this.entries].some(([path, { mode }]) => !isDirectory(mode) && within(tree.path, path));
    if (met) {
      this.#closed.add(tree.path);
      this.#options.excluded(tree.path, "tree");
    } else {
      tree.over = true;
      this.#exclude([tree.path], "tree");
    }
    return false;
  }

  /** Null when it went in this moment, or when its directory may be listed but not searched. */
  #stat(path: string): Stats | null {
    try {
      return this.#options.disk.lstatSync(path, { throwIfNoEntry: false }) ?? null;
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      if (codeOf(error) !== "ENOTDIR") this.#unreadable(path);
      return null;
    }
  }

  #directory(path: string, stat: Stats, known: Known | undefined, late: boolean): Known {
    const same = known !== undefined && isDirectory(known.mode);
    const stands = same && known.mtime === stat.mtimeMs && known.ctime === stat.ctimeMs;
    const now: Known = { ...stamps(stat), hash: emptyHash, settled: false, met: this.#scan };
    if (same && known.ignored !== undefined) now.ignored = known.ignored;
    if (stands && known.names) Object.assign(now, { names: known.names, settled: known.settled });
    this.entries.set(path, now);
    if (known ? known.mode !== now.mode : !late) this.#deltas.push({ path, before: known ?? null, after: now });
    return now;
  }

  async #isTree({ path, base, known, rules }: Place): Promise<boolean> {
    if (known?.ignored !== undefined) return known.ignored;
    const ignored = await this.#ignored.isTree(base, rules, path);
    if (known) known.ignored = ignored;
    return ignored;
  }

  /** Reads what looks changed, and compares contents. */
  async #judge({ place, path, stat }: { place: Place; path: string; stat: Stats }): Promise<void> {
    const before = this.entries.get(path) ?? null;
    const ignored = async () => place.tree !== null || this.#ignored.has(place.base, place.rules, path);
    const hash = await this.#options.take({ path, stat, before, ignored });
    if (hash === undefined) return;
    // What was not taken is looked at again when its stat changes, not on every scan.
    const settled = stat.ctimeMs < this.#began - youngMs;
    const after: Known = { ...stamps(stat), hash, settled, met: this.#scan };
    this.entries.set(path, after);
    if (place.late && !before) return;
    const differs = hash === null ? !before || !unchanged(before, stat) : before?.hash !== hash;
    if (differs || before?.mode !== after.mode) this.#deltas.push({ path, before, after });
  }

  /** From now on these paths are none of our business; nothing of them counts as deleted. One pass, however many they are. */
  #exclude(paths: readonly string[], why: Excluded): void {
    for (const path of paths) {
      this.#spots.add(path, this.entries.get(path) ?? null);
      this.#options.excluded(path, why);
    }
    const out = new Set(paths);
    for (const other of this.entries.keys()) if (isInside(out, other)) this.entries.delete(other);
    this.#deltas = this.#deltas.filter((delta) => !isInside(out, delta.path));
  }

  /** What cannot be looked at now counts as it was; perhaps it can be looked at next time. */
  #unreadable(path: string): void {
    this.#options.excluded(path, "unreadable");
    this.#unreadNow.add(path);
    for (const [other, known] of this.entries) if (within(path, other)) known.met = this.#scan;
  }

  #forgetRules(): void {
    this.#ignored.forget();
    for (const known of this.entries.values()) delete known.ignored;
  }

  #isTired(): boolean {
    return this.#options.clock.mono() - this.#slice >= sliceMs;
  }

  /** The event loop's turn. */
  async #breathe(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#slice = this.#options.clock.mono();
    this.#stopped ||= this.#stop();
  }
}

const never = () => false;

/** Is a path one of these, or below one of them? */
function isInside(paths: ReadonlySet<string>, path: string): boolean {
  for (let at = path; ; at = parent(at)) {
    if (paths.has(at)) return true;
    if (at === "/") return false;
  }
}

function below(directory: string, name: string): string {
  return directory === "/" ? `/${name}` : `${directory}/${name}`;
}

/** What a directory counts as. */
export const emptyHash = sha256("");
