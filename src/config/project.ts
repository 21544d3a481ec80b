// Which project we are in (SPEC 2.6), found by looking for two names on the way up and nothing else: git is never run.
// Invariant: the root is canonical, and never `/` or the user's home, so that one stray `.git` cannot make everything a
// person owns "the project". Not here: the name under which a project's sessions are kept; that is session/'s.

import { dirname, join } from "node:path";
import { codeOf, UserError } from "../core/errors.js";
import type { Fs } from "../lib/fs.js";

type Disk = Pick<Fs, "accessSync" | "existsSync" | "realpathSync" | "statSync">;

/** R_OK and X_OK of access(2). */
const readAndEnter = 5;

export interface Project {
  /** Canonical working directory. */
  cwd: string;
  /** Canonical project root; `cwd` or an ancestor of it. */
  root: string;
}

/**
 * The nearest ancestor of `cwd` with `.git` or `.cinch`, else `cwd` itself.
 * Throws UserError (exit 2) when `cwd` is not a directory that can be reached.
 */
export function findProject(disk: Disk, cwd: string, userHome: string): Project {
  const here = canonicalDirectory(disk, cwd);
  const home = canonicalOr(disk, userHome);
  for (let dir = here; dir !== dirname(dir); dir = dirname(dir)) {
    if (dir === home) continue;
    if (disk.existsSync(join(dir, ".git")) || disk.existsSync(join(dir, ".cinch"))) return { cwd: here, root: dir };
  }
  return { cwd: here, root: here };
}

function canonicalDirectory(disk: Disk, path: string): string {
  try {
    const real = disk.realpathSync(path);
    if (disk.statSync(real).isDirectory()) {
      disk.accessSync(real, readAndEnter);
      return real;
    }
  } catch (error) {
    throw new UserError(unreachable(path, codeOf(error)), "Name another directory with --cwd.");
  }
  throw new UserError(`${path} is not a directory.`, "Name another directory with --cwd.");
}

function unreachable(path: string, code: string | undefined): string {
  if (code === "ENOENT") return `The directory ${path} does not exist.`;
  if (code === "ENOTDIR") return `${path} is not a directory.`;
  if (code === "EACCES" || code === "EPERM") return `The directory ${path} cannot be read: permission denied.`;
  return `The directory ${path} cannot be opened${code ? ` (${code})` : ""}.`;
}

function canonicalOr(disk: Disk, path: string): string {
  try {
    return disk.realpathSync(path);
  } catch {
    return path;
  }
}
