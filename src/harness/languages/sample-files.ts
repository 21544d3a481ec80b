// One file of each wanted kind in a project: a server that is asked about a whole project has to be shown a file of it first.
// Invariant: bounded, the nearest to the root first.

import { filesBelow } from "../../lib/below.js";
import type { Fs } from "../../lib/fs.js";
import { extensionOf } from "../../lsp/choose.js";

const mostNames = 5_000;

/** Extension -> absolute path. */
export function sampleFiles(disk: Fs, root: string, extensions: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const { path, name } of filesBelow(disk, root, mostNames)) {
    const extension = extensionOf(name);
    if (extensions.includes(extension) && !found.has(extension)) found.set(extension, path);
    if (found.size === extensions.length) break;
  }
  return found;
}
