// Names that a sandbox cannot stand guard over, compared before and after a command: what took one is set aside, and so is
// what appeared under a name that nobody expected.
// Invariant: nothing is deleted; what was there keeps its bytes under a name beside its own that means nothing to anybody.

import type { Fs } from "../../lib/fs.js";

export interface SetAsideOptions {
  disk: Fs;
  paths: readonly string[];
  /** May this stay although it was not there before? */
  isHarmless(path: string): boolean;
}

/** Looks now; the function it returns looks again, puts things right and says what it did. */
export function watchNames({ disk, paths, isHarmless }: SetAsideOptions): () => string[] {
  const before = paths.map((path) => ({ path, was: look(disk, path) }));
  return () =>
    before.flatMap(({ path, was }) => {
      const now = look(disk, path);
      if (now === was || (was === absent && isHarmless(path))) return [];
      const aside = now === absent ? null : putAside(disk, path);
      if (was !== absent && was !== other) disk.symlinkSync(was, path);
      return [told(path, aside, was !== absent)];
    });
}

/** The same for names that are not known beforehand: `find` returns the paths that bear one. */
export function watchAppearing(disk: Fs, find: () => readonly string[]): () => string[] {
  const before = new Set(find());
  return () =>
    find()
      .filter((path) => !before.has(path))
      .map(
        (path) =>
          `${path} is a protected name: it was made and is now ${putAside(disk, path)}. Such a file takes a yes`,
      );
}

/** No link leads to these: a target is never empty, and holds no NUL. */
const absent = "";
const other = "\0";

function look(disk: Fs, path: string): string {
  const stat = disk.lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return absent;
  return stat.isSymbolicLink() ? disk.readlinkSync(path) : other;
}

function putAside(disk: Fs, path: string): string {
  for (let n = 1; ; n++) {
    const aside = `${path}.set-aside-${n}`;
    if (disk.lstatSync(aside, { throwIfNoEntry: false })) continue;
    disk.renameSync(path, aside);
    return aside;
  }
}

function told(path: string, aside: string | null, restored: boolean): string {
  const what = aside === null ? "was removed" : `was ${restored ? "replaced" : "made"} and is now ${aside}`;
  const after = restored ? "; the link that was there is back" : "";
  return `${path} decides what runs: it ${what}${after}. Such a file takes a yes`;
}
