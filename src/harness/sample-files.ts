// One file of each wanted kind in a project: a server that is asked about a whole project has to be shown a file of it first.
// Invariant: bounded, breadth first, and not into what is installed or built.

import { codeOf } from "../core/errors.js";
import type { Fs } from "../lib/fs.js";
import { extensionOf } from "../lsp/choose.js";

const mostNames = 5_000;
const skipped = /^(\..*|node_modules|dist|build|out|target|vendor|coverage|__pycache__)$/;

/** Extension -> absolute path. */
export function sampleFiles(disk: Fs, root: string, extensions: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  const open = [root];
  let seen = 0;
  for (let at = open.shift(); at !== undefined && seen < mostNames; at = open.shift()) {
    const directory = at;
    for (const entry of entriesOf(disk, directory)) {
      seen++;
      const path = `${directory === "/" ? "" : directory}/${entry.name}`;
      if (entry.isDirectory() && !skipped.test(entry.name)) open.push(path);
      const extension = extensionOf(entry.name);
      if (entry.isFile() && extensions.includes(extension) && !found.has(extension)) found.set(extension, path);
    }
    if (extensions.every((extension) => found.has(extension))) break;
  }
  return found;
}

function entriesOf(disk: Fs, directory: string) {
  try {
    return disk.readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    // A directory that may not be listed has no sample.
    if (codeOf(error) === undefined) throw error;
    return [];
  }
}
