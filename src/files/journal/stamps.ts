// What the journal remembers of an entry between two looks, and whether its time stamps stand still.
// Invariant: equal stamps mean an equal entry only when they were not young as they were taken (`settled`).

import type { Stats } from "node:fs";

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

export function stamps(stat: Stats) {
  return { mode: stat.mode, size: stat.size, mtime: stat.mtimeMs, ctime: stat.ctimeMs, ino: stat.ino };
}

export function unchanged(known: Known, stat: Stats): boolean {
  return (
    known.mtime === stat.mtimeMs &&
    known.ctime === stat.ctimeMs &&
    known.size === stat.size &&
    known.ino === stat.ino &&
    known.mode === stat.mode
  );
}
