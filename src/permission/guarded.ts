// The paths of a project that `permissions.protect` names, for a sandbox to hold them. Only looks, at names, the nearest first.
// Invariant: what is found is there; where there are more names than are looked at, that is said. Links and `.git` are not
// entered.

import type { Fs } from "../lib/fs.js";

const maxNames = 20_000;
/** Each is a mount of its own. */
const maxFound = 500;

export interface Guarded {
  paths: string[];
  /** Everything was looked at. */
  complete: boolean;
}

/** `test` takes canonical paths, those of directories with a slash behind them as well. */
export function guardedIn(disk: Fs, bases: readonly string[], test: (path: string) => boolean): Guarded {
  const paths: string[] = [];
  const pending = [...bases];
  let left = maxNames;
  for (let directory = pending.shift(); directory !== undefined; directory = pending.shift()) {
    for (const entry of disk.readdirSync(directory, { withFileTypes: true })) {
      if (--left < 0 || paths.length >= maxFound) return { paths, complete: false };
      const path = directory === "/" ? `/${entry.name}` : `${directory}/${entry.name}`;
      if (entry.isSymbolicLink() || entry.name === ".git") continue;
      if (test(path) || (entry.isDirectory() && test(`${path}/`))) paths.push(path);
      else if (entry.isDirectory()) pending.push(path);
    }
  }
  return { paths, complete: true };
}
