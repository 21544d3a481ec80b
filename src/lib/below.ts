// The files below a directory, the nearest first: a glance at a project, not a search.
// Invariant: bounded by `most` names, never into what is installed, built or hidden, no link followed.

import { codeOf } from "../core/errors.js";
import type { Fs } from "./fs.js";

const skipped = /^(\..*|node_modules|dist|build|out|target|vendor|coverage|__pycache__)$/;

/** In the order of their names within a directory. */
export function* filesBelow(disk: Fs, root: string, most: number): Generator<{ path: string; name: string }> {
  const open = [root];
  let seen = 0;
  for (let at = open.shift(); at !== undefined && seen < most; at = open.shift()) {
    for (const entry of entriesOf(disk, at)) {
      if (++seen > most) return;
      const path = `${at === "/" ? "" : at}/${entry.name}`;
      if (entry.isDirectory() && !skipped.test(entry.name)) open.push(path);
      if (entry.isFile()) yield { path, name: entry.name };
    }
  }
}

function entriesOf(disk: Fs, directory: string) {
  try {
    return disk.readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    // A directory that may not be listed shows nothing.
    if (codeOf(error) === undefined) throw error;
    return [];
  }
}
