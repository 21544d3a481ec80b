// The ground of an analysis, read from the disk: where paths lead, what lies below a directory, where programs are, what
// a repository's configuration says. Reads little and starts nothing; what cannot be read counts as the worse answer.

import { posix } from "node:path";
import type { Fs } from "../../lib/fs.js";
import { parent, resolvePath, within } from "../../lib/paths.js";
import { readSmall } from "../../lib/small-file.js";
import { configTrouble } from "./git-config.js";
import type { Ground } from "./ground.js";
import { isSecretName } from "./places.js";

export interface GroundOptions {
  disk: Fs;
  /** Canonical. */
  root: string;
  /** Canonical: added directories, too. */
  bases: readonly string[];
  home: string;
  /** Of the environment that read-only commands get. */
  path: string;
}

/** Names looked at below a directory, and bytes of a configuration. */
const maxNames = 4000;
const maxConfig = 256 * 1024;

export function createGround({ disk, root, bases, home, path: searchPath }: GroundOptions): Ground {
  const inside = (path: string) => bases.some((base) => within(base, path));
  return {
    root,
    home,
    spot(base, path) {
      try {
        const { path: found, stat } = resolvePath(disk, base, path);
        return { path: found, inside: inside(found), isDirectory: stat?.isDirectory() ?? false };
      } catch {
        // It may not be looked at: its name can still be judged.
        return { path: posix.resolve(base, path), inside: false, isDirectory: false };
      }
    },
    holdsSecrets: (directory) => secretsBelow(disk, directory),
    isOfProject(program) {
      for (const directory of searchPath.split(":")) {
        if (!directory.startsWith("/")) return true;
        try {
          const { path, stat } = resolvePath(disk, "/", `${directory}/${program}`);
          if (stat?.isFile()) return inside(path);
        } catch {
          return true;
        }
      }
      return false;
    },
    gitTrouble: (directory) => gitTrouble(disk, directory),
  };
}

function secretsBelow(disk: Fs, top: string): boolean | null {
  let left = maxNames;
  const pending = [top];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    try {
      for (const entry of disk.readdirSync(directory, { withFileTypes: true })) {
        if (--left < 0) return null;
        if (entry.isDirectory()) pending.push(`${directory}/${entry.name}`);
        else if (isSecretName(entry.name)) return true;
      }
    } catch {
      return null;
    }
  }
  return false;
}

/** Looks for the repository as git does: upwards, `.git` first, then a bare one. */
function gitTrouble(disk: Fs, start: string): string | null {
  for (let directory = start; ; directory = parent(directory)) {
    const stat = disk.lstatSync(`${directory}/.git`, { throwIfNoEntry: false });
    if (stat?.isDirectory()) return repositoryTrouble(disk, `${directory}/.git`);
    if (stat?.isFile()) return linkedTrouble(disk, directory);
    if (stat) return "a .git that is neither file nor directory";
    const bare = ["HEAD", "objects", "refs"].every((name) => disk.existsSync(`${directory}/${name}`));
    if (bare) return "a bare repository";
    if (directory === "/") return null;
  }
}

/** `.git` is a file: a worktree or a submodule, whose repository has to be one above that was not put into the project. */
function linkedTrouble(disk: Fs, directory: string): string | null {
  const target = /^gitdir: (.+)\n?$/.exec(readSmall(disk, `${directory}/.git`, 4096)?.text ?? "")?.[1];
  if (target === undefined) return "a .git file that is not understood";
  try {
    const { path, stat } = resolvePath(disk, directory, target);
    // A worktree's directory is `<repository>/.git/worktrees/<name>`, a submodule's `<repository>/.git/modules/<name>`.
    const [, common] = /^(.*\/\.git)\/(worktrees|modules)\/[^/]+$/.exec(path) ?? [];
    if (!stat?.isDirectory() || common === undefined) return "a .git file that leads to an unusual place";
    return repositoryTrouble(disk, path.includes("/modules/") ? path : common) ?? repositoryTrouble(disk, path);
  } catch {
    return "a .git file that leads nowhere";
  }
}

function repositoryTrouble(disk: Fs, git: string): string | null {
  for (const name of ["config", "config.worktree"]) {
    const stat = disk.lstatSync(`${git}/${name}`, { throwIfNoEntry: false });
    if (!stat) continue;
    const file = stat.isFile() ? readSmall(disk, `${git}/${name}`, maxConfig) : undefined;
    if (!file || file.cut) return `a ${name} that cannot be read`;
    const trouble = configTrouble(file.text);
    if (trouble !== null) return trouble;
  }
  const redirected = disk.existsSync(`${git}/commondir`) && !git.includes("/.git/worktrees/");
  return redirected ? "a repository that is kept elsewhere" : null;
}
