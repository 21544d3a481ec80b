// Files that go by an ordinary name and are what a governing one leads to: `AGENTS.md` may be a link to `docs/agents.md`, a
// hook one to `scripts/check.sh`. Who changes them by the ordinary name changes the governing file.
// Looks at names only: the governing ones directly in a directory, and links directly in those that are directories. What
// points at a file by hard links is not found; nothing can tell such names apart.

import { codeOf } from "../core/errors.js";
import type { Fs } from "../lib/fs.js";
import { PathError, resolvePath, within } from "../lib/paths.js";
import { governingLinks } from "./governing.js";

/** The governing names that lead to a canonical path. Looks once, at the first question. */
export function aliasesIn(disk: Fs, directories: readonly string[]): (path: string) => string[] {
  let known: { link: string; target: string }[] | undefined;
  return (path) => {
    known ??= directories.flatMap((directory) => governingLinks(disk, directory)).flatMap((link) => led(disk, link));
    return known.flatMap(({ link, target }) => (within(target, path) ? [link + path.slice(target.length)] : []));
  };
}

function led(disk: Fs, link: string): { link: string; target: string }[] {
  try {
    return [{ link, target: resolvePath(disk, "/", link).path }];
  } catch (error) {
    // It leads nowhere, or where nobody may look: nothing there is changed by another name.
    if (error instanceof PathError || codeOf(error) !== undefined) return [];
    throw error;
  }
}
