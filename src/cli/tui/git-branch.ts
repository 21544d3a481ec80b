// The branch that is checked out, read from `.git/HEAD`. Git itself is never run for it.

import { join, resolve } from "node:path";
import type { Fs } from "../../lib/fs.js";
import { readSmall } from "../../lib/small-file.js";

/** Null without one: no repository, or a commit without a branch. */
export function gitBranch(disk: Fs, root: string): string | null {
  const file = /^gitdir: (.+)/.exec(readSmall(disk, join(root, ".git"), 4096)?.text ?? "")?.[1];
  const directory = file === undefined ? join(root, ".git") : resolve(root, file.trim());
  const head = readSmall(disk, join(directory, "HEAD"), 4096)?.text ?? "";
  return /^ref: refs\/heads\/(.+)/.exec(head)?.[1]?.trim() ?? null;
}
