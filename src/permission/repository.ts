// Where the repository of a linked work tree or submodule is, when it lies outside of the project: what a command has to read for
// git to work there.
// Invariant: a directory is only named when it points back to the project, as git itself writes it; a `.git` file that a
// project brings along leads nowhere else. Only looks.

import { dirname, join, resolve } from "node:path";
import { codeOf } from "../core/errors.js";
import type { Fs } from "../lib/fs.js";
import { resolvePath, within } from "../lib/paths.js";

/** Canonical directories outside of `root`; none for a repository that lies in it. */
export function repositoryOutside(disk: Fs, root: string): string[] {
  const gitFile = join(root, ".git");
  const directory = linked(disk, gitFile, /^gitdir: (.+)$/m);
  if (directory === null || within(root, directory)) return [];
  const shared = linked(disk, join(directory, "commondir"), /^(.+)$/m) ?? directory;
  const isWorkTree = linked(disk, join(directory, "gitdir"), /^(.+)$/m) === gitFile;
  const isSubmodule =
    shared === directory && linked(disk, join(directory, "config"), /^[ \t]*worktree = (.+)$/m) === root;
  if (!isWorkTree && !isSubmodule) return [];
  return within(shared, directory) ? [shared] : [shared, directory];
}

/** The canonical path that a small file names, relative to its own directory; null when it names none. */
function linked(disk: Fs, file: string, pattern: RegExp): string | null {
  try {
    const stat = disk.lstatSync(file, { throwIfNoEntry: false });
    if (!stat?.isFile() || stat.size > maxBytes) return null;
    const [, path] = pattern.exec(disk.readFileSync(file, "utf8")) ?? [];
    return path === undefined ? null : resolvePath(disk, "/", resolve(dirname(file), path.trim())).path;
  } catch (error) {
    // A directory that is not there, or that may not be entered: then git does not work there either.
    if (codeOf(error) === undefined) throw error;
    return null;
  }
}

const maxBytes = 64 * 1024;
