// Protected names deeper in a project than its root: files and directories that editors, agents and git would go by if somebody
// opened that directory, and the parts of each repository that decide what git runs.
// Only looks, at names, the nearest first. Where there are more names than are looked at, that is said. What package managers
// unpack is not entered: it brings such names by the hundred, and nobody opens it.

import { codeOf } from "../core/errors.js";
import type { Fs } from "../lib/fs.js";
import { type Governing, governingIn } from "./governing.js";
import { isProtectedPath } from "./protected.js";

const maxNames = 20_000;
/** Each is a mount of its own. */
const maxFound = 500;
const unpacked = new Set(["node_modules", ".venv", "venv", "site-packages", "target", ".gradle", "Pods"]);

export interface Below extends Pick<Governing, "fixed" | "held" | "watched"> {
  /** Unix sockets: whoever listens there would act outside. */
  sockets: string[];
  /** Directories that are repositories, without the base itself. */
  repositories: string[];
  /** Everything was looked at. */
  complete: boolean;
}

/** What lies directly in `base` is governingIn's, but for sockets. */
export function governingBelow(disk: Fs, base: string): Below {
  const found: Below = { fixed: [], held: [], watched: [], sockets: [], repositories: [], complete: true };
  const pending: { directory: string; names: readonly string[] }[] = [{ directory: base, names: [] }];
  let left = maxNames;
  for (let at = pending.shift(); at; at = pending.shift()) {
    for (const entry of list(disk, at.directory)) {
      if (--left < 0 || found.fixed.length >= maxFound) return { ...found, complete: false };
      const path = at.directory === "/" ? `/${entry.name}` : `${at.directory}/${entry.name}`;
      const names = [...at.names, entry.name];
      if (entry.isSocket()) found.sockets.push(path);
      else if (names.length > 1 && isProtectedPath(names)) keep(disk, { entry, path, directory: at.directory }, found);
      else if (entry.isDirectory() && !isProtectedPath(names) && !unpacked.has(entry.name))
        pending.push({ directory: path, names });
    }
  }
  return found;
}

interface Found {
  entry: { name: string; isSymbolicLink(): boolean; isDirectory(): boolean };
  path: string;
  directory: string;
}

function keep(disk: Fs, { entry, path, directory }: Found, found: Below): void {
  if (entry.name === ".git" && entry.isDirectory()) {
    const { fixed, held, watched } = governingIn(disk, directory);
    const isGit = (each: string) => each === path || each.startsWith(`${path}/`);
    found.fixed.push(...fixed.filter(isGit));
    found.held.push(...held.filter(isGit));
    found.watched.push(...watched.filter(isGit));
    found.repositories.push(directory);
  } else (entry.isSymbolicLink() ? found.watched : found.fixed).push(path);
}

/** Nothing where there is no such directory (any more), or none that may be read. */
function list(disk: Fs, directory: string) {
  try {
    return disk.readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES"].includes(codeOf(error) ?? "")) return [];
    throw error;
  }
}
