// What is in the project and what changed since the last look: one walk of lstat calls against an index in memory.
// Invariant: a file is read only when its stat differs, or when its time stamps are so young that a further change might
// not show in them; so an unchanged project costs one lstat per entry. Every change since the last scan is returned once.
// Kinds of entries: regular files, links (content = target) and directories (content = ""). Never entered: `.git` and the
// like, and what was excluded: large ignored trees, what cannot be read, what the time does not suffice for.

import type { Stats } from "node:fs";
import { codeOf } from "../core/errors.js";
import { sweepTemps } from "../lib/atomic-file.js";
import type { Fs } from "../lib/fs.js";
import { sha256 } from "../lib/hash.js";
import { type IgnoreRules, isIgnored, readIgnoreRules } from "../lib/ignore.js";
import { within } from "../lib/paths.js";
import { isTempName } from "../lib/temp-name.js";
import { isDirectory, isFile, isLink } from "./mode.js";

/** One entry of the index. */
export interface Known {
  /** st_mode: kind and permission bits. */
  mode: number;
  /** sha256 of the content; null when it was never taken. */
  hash: string | null;
  size: number;
  mtime: number;
  ctime: number;
  ino: number;
  /** False: look at the content again next time. */
  settled: boolean;
  /** Number of the last scan that met it. */
  met: number;
  /** Directories: names in it, as of `mtime`. */
  names?: readonly string[];
  /** Directories: is this the top of a tree that .gitignore leaves out? */
  ignored?: boolean;
}

export interface Delta {
  path: string;
  before: Known | null;
  after: Known | null;
}

export type Excluded = "tree" | "unreadable" | "special" | "time";

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
  /** Milliseconds for one walk. */
  budget: number;
}

interface Tree {
  path: string;
  entries: number;
  over: boolean;
}

interface Place {
  path: string;
  base: string;
  known: Known | undefined;
  /** Directories with a .gitignore, from the base down to here. */
  rules: readonly string[];
  tree: Tree | null;
}

/** Entries of an ignored tree that are looked at; a tree with more is left out as a whole. */
const treeLimit = 1_000;
const ownData = new Set([".git", ".hg", ".svn", ".jj"]);
/** Left out like ignored trees, whatever .gitignore says. */
const heavy = new Set(["node_modules", ".venv", "__pycache__"]);
/** Time stamps come in ticks of up to 10 ms; what is younger than two may change again without showing it. */
const youngMs = 20;
/** The event loop gets its turn this often. */
const sliceMs = 25;

export class ProjectIndex {
  readonly entries = new Map<string, Known>();
  readonly #options: ScanOptions;
  readonly #excluded = new Set<string>();
  readonly #rules = new Map<string, IgnoreRules | null>();
  #scan = 0;
  #began = 0;
  #slice = 0;
  #pending: { place: Place; path: string; stat: Stats }[] = [];
  #deltas: Delta[] = [];

  constructor(options: ScanOptions) {
    this.#options = options;
  }

  /** Changes since the last call, by path; on the first call everything there is. */
  async scan(): Promise<Delta[]> {
    const { clock } = this.#options;
    this.#scan++;
    this.#began = clock.now();
    this.#pending = [];
    this.#deltas = [];
    await this.#walk();
    for (const each of this.#pending) {
      if (each.place.tree?.over) continue;
      await this.#breathe();
      await this.#judge(each);
    }
    for (const [path, known] of this.entries) {
      if (known.met === this.#scan) continue;
      this.entries.delete(path);
      this.#deltas.push({ path, before: known, after: null });
    }
    if (this.#deltas.some(({ path }) => path.endsWith("/.gitignore"))) this.#forgetRules();
    return this.#deltas.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async #walk(): Promise<void> {
    const { bases, clock, budget } = this.#options;
    const until = clock.mono() + budget;
    this.#slice = clock.mono();
    const queue: Place[] = bases.map((path) => ({ path, base: path, known: undefined, rules: [], tree: null }));
    // Breadth first, so that what is left out for want of time is what lies deepest.
    for (let at = 0; at < queue.length; at++) {
      const place = queue[at] as Place;
      if (place.tree?.over) continue;
      if (clock.mono() > until) {
        for (const rest of queue.slice(at)) this.#exclude(rest.path, "time");
        return;
      }
      await this.#breathe();
      const names = this.#names(place);
      if (!names) continue;
      const rules = names.includes(".gitignore") ? [...place.rules, place.path] : place.rules;
      for (const name of names) {
        const inner = this.#visit({ ...place, rules }, name);
        if (!inner) continue;
        if (!inner.tree && (await this.#isTree(inner))) inner.tree = { path: inner.path, entries: 0, over: false };
        queue.push(inner);
      }
    }
  }

  /** What is in a directory; a listing is used again as long as the directory's own time stamps stand still. */
  #names({ path, known }: Place): readonly string[] | null {
    if (known?.names && known.settled) return known.names;
    try {
      const all = this.#options.disk.readdirSync(path);
      const names = all.filter((name) => !ownData.has(name) && !isTempName(name));
      if (all.some(isTempName)) sweepTemps(this.#options.disk, path);
      if (known) {
        known.names = names;
        known.settled = known.ctime < this.#began - youngMs;
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
    const path = place.path === "/" ? `/${name}` : `${place.path}/${name}`;
    if (this.#excluded.has(path) || skip.includes(path)) return null;
    const stat = this.#stat(path);
    if (!stat) return null;
    const { tree } = place;
    if (tree && ++tree.entries > treeLimit) {
      tree.over = true;
      this.#exclude(tree.path, "tree");
      return null;
    }
    const known = this.entries.get(path);
    const { mode } = stat;
    if (isDirectory(mode)) return { ...place, path, known: this.#directory(path, stat, known) };
    if (!isFile(mode) && !isLink(mode)) {
      this.#excluded.add(path);
      excluded(path, "special");
    } else if (known?.settled && unchanged(known, stat)) known.met = this.#scan;
    else this.#pending.push({ place, path, stat });
    return null;
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

  #directory(path: string, stat: Stats, known: Known | undefined): Known {
    const same = known !== undefined && isDirectory(known.mode);
    const stands = same && known.mtime === stat.mtimeMs && known.ctime === stat.ctimeMs;
    const now: Known = { ...stamps(stat), hash: emptyHash, settled: false, met: this.#scan };
    if (same && known.ignored !== undefined) now.ignored = known.ignored;
    if (stands && known.names) Object.assign(now, { names: known.names, settled: known.settled });
    this.entries.set(path, now);
    if (known?.mode !== now.mode) this.#deltas.push({ path, before: known ?? null, after: now });
    return now;
  }

  async #isTree({ path, base, known, rules }: Place): Promise<boolean> {
    if (known?.ignored !== undefined) return known.ignored;
    const ignored =
      heavy.has(path.slice(path.lastIndexOf("/") + 1)) || (await this.#isIgnored(base, rules, `${path}/`));
    if (known) known.ignored = ignored;
    return ignored;
  }

  async #isIgnored(base: string, directories: readonly string[], path: string): Promise<boolean> {
    const chain: IgnoreRules[] = [];
    for (const directory of directories) {
      let rules = this.#rules.get(directory);
      if (rules === undefined) {
        rules = await readIgnoreRules(this.#options.disk, base, directory.slice(base.length + 1));
        this.#rules.set(directory, rules);
      }
      if (rules) chain.push(rules);
    }
    return chain.length > 0 && isIgnored(chain, path.slice(base.length + 1));
  }

  /** Reads what looks changed, and compares contents. */
  async #judge({ place, path, stat }: { place: Place; path: string; stat: Stats }): Promise<void> {
    const before = this.entries.get(path) ?? null;
    const ignored = async () => place.tree !== null || this.#isIgnored(place.base, place.rules, path);
    const hash = await this.#options.take({ path, stat, before, ignored });
    if (hash === undefined) return;
    // What was not taken is looked at again when its stat changes, not on every scan.
    const settled = stat.ctimeMs < this.#began - youngMs;
    const after: Known = { ...stamps(stat), hash, settled, met: this.#scan };
    this.entries.set(path, after);
    const differs = hash === null ? !before || !unchanged(before, stat) : before?.hash !== hash;
    if (differs || before?.mode !== after.mode) this.#deltas.push({ path, before, after });
  }

  /** From now on this path is none of our business; nothing of it counts as deleted. */
  #exclude(path: string, why: Excluded): void {
    this.#excluded.add(path);
    this.#options.excluded(path, why);
    for (const other of this.entries.keys()) if (within(path, other)) this.entries.delete(other);
    this.#deltas = this.#deltas.filter((delta) => !within(path, delta.path));
  }

  /** What cannot be looked at now counts as it was; perhaps it can be looked at next time. */
  #unreadable(path: string): void {
    this.#options.excluded(path, "unreadable");
    for (const [other, known] of this.entries) if (within(path, other)) known.met = this.#scan;
  }

  #forgetRules(): void {
    this.#rules.clear();
    for (const known of this.entries.values()) delete known.ignored;
  }

  async #breathe(): Promise<void> {
    const { clock } = this.#options;
    if (clock.mono() - this.#slice < sliceMs) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#slice = clock.mono();
  }
}

/** What a directory counts as. */
export const emptyHash = sha256("");

function stamps(stat: Stats) {
  return { mode: stat.mode, size: stat.size, mtime: stat.mtimeMs, ctime: stat.ctimeMs, ino: stat.ino };
}

function unchanged(known: Known, stat: Stats): boolean {
  return (
    known.mtime === stat.mtimeMs &&
    known.ctime === stat.ctimeMs &&
    known.size === stat.size &&
    known.ino === stat.ino &&
    known.mode === stat.mode
  );
}
