// The ground of an analysis, read from the disk: where paths lead, what lies below a directory, where programs are, what
// a repository's configuration says. Reads little and starts nothing; what cannot be read counts as the worse answer.

import { posix } from "node:path";
import type { Fs } from "../../lib/fs.js";
import { alsoCalled, parent, resolvePath, within, withinApart } from "../../lib/paths.js";
import { readSmall } from "../../lib/small-file.js";
import { aliasesIn } from "../aliases.js";
import { configTrouble } from "./git-config.js";
import { submodulesIn } from "./git-index.js";
import type { Ground } from "./ground.js";
import { isSecretName, type Spot } from "./places.js";

export interface GroundOptions {
  disk: Fs;
  /** Canonical. */
  root: string;
  /** Canonical: added directories, too. */
  bases: readonly string[];
  home: string;
  /** Of the environment that read-only commands get. */
  path: string;
  /** Canonical directories where Cinch keeps what it goes by, and those in them that a model may be sent to. */
  own?: readonly string[];
  lent?: readonly string[];
  /** What is withheld beside secrets by name. */
  conceals?(path: string): boolean;
}

/** Names looked at below a directory, bytes of a configuration and of an index. */
const maxNames = 4000;
const maxConfig = 256 * 1024;
const maxIndex = 64 * 1024 * 1024;

export function createGround(options: GroundOptions): Ground {
  const { disk, root, bases, home, path: searchPath, own = [], lent = [], conceals = () => false } = options;
  const aliases = aliasesIn(disk, bases);
  const inside = (path: string) => bases.some((base) => within(base, path));
  const keeping = (path: string): Pick<Spot, "kept" | "holdsOwn"> => {
    const holdsOwn = own.some((each) => within(path, each));
    if (withinApart(lent, path, bases)) return { kept: "lent", holdsOwn };
    return { kept: withinApart(own, path, bases) ? "own" : undefined, holdsOwn };
  };
  return {
    root,
    home,
    spot(base, path) {
      try {
        const { path: found, stat, names } = resolvePath(disk, base, path);
        const also = alsoCalled([...names, ...aliases(found)]);
        return { path: found, ...also, inside: inside(found), ...kindOf(stat), ...keeping(found) };
      } catch {
        // It may not be looked at: its name can still be judged.
        const named = posix.resolve(base, path);
        return { path: named, inside: false, isDirectory: false, isFile: false, ...keeping(named) };
      }
    },
    holdsSecrets: (directory, follow = false) => secretsBelow(disk, directory, conceals, follow),
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

function kindOf(stat: ReturnType<typeof resolvePath>["stat"]): Pick<Spot, "isDirectory" | "isFile"> {
  const isDirectory = stat?.isDirectory() ?? false;
  return { isDirectory, isFile: stat !== null && !isDirectory };
}

function secretsBelow(disk: Fs, top: string, conceals: (path: string) => boolean, follow: boolean): boolean | null {
  let left = maxNames;
  const pending = [top];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    try {
      for (const entry of disk.readdirSync(directory, { withFileTypes: true })) {
        if (--left < 0) return null;
        if (follow && entry.isSymbolicLink()) return true;
        if (entry.isDirectory()) pending.push(`${directory}/${entry.name}`);
        else if (isSecretName(entry.name) || conceals(`${directory}/${entry.name}`)) return true;
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
    if (stat?.isDirectory()) {
      const git = `${directory}/.git`;
      return repositoryTrouble(disk, git) ?? submoduleTrouble(disk, directory, git);
    }
    if (stat?.isFile()) return linkedTrouble(disk, directory);
    if (stat) return "a .git that is neither file nor directory";
    if (isBare(disk, directory)) return "a bare repository";
    if (directory === "/") return null;
  }
}

/** Objects and refs may also lie where a `commondir` leads, and HEAD may be a link to nothing. */
function isBare(disk: Fs, directory: string): boolean {
  const has = (name: string) => disk.lstatSync(`${directory}/${name}`, { throwIfNoEntry: false }) !== undefined;
  return has("HEAD") && (has("commondir") || (has("objects") && has("refs")));
}

/** `.git` is a file: a worktree or a submodule, whose repository has to be one above that was not put into the project. */
function linkedTrouble(disk: Fs, directory: string): string | null {
  const target = /^gitdir: (.+)\n?$/.exec(readSmall(disk, `${directory}/.git`, 4096)?.text ?? "")?.[1];
  if (target === undefined) return "a .git file that is not understood";
  try {
    const { path, stat } = resolvePath(disk, directory, target);
    // A worktree's directory is `<repository>/.git/worktrees/<name>`, a submodule's `<repository>/.git/modules/<name>`.
    const [, common, kind] = /^(.*\/\.git)\/(worktrees|modules)\/[^/]+$/.exec(path) ?? [];
    if (!stat?.isDirectory() || common === undefined) return "a .git file that leads to an unusual place";
    const below = () => submoduleTrouble(disk, directory, path);
    if (kind === "modules") return repositoryTrouble(disk, path) ?? below();
    const named = readSmall(disk, `${path}/commondir`, 4096)?.text.replace(/\n$/, "");
    if (named === undefined || resolvePath(disk, path, named).path !== common) {
      return "a worktree whose repository is elsewhere";
    }
    return repositoryTrouble(disk, common) ?? settingsTrouble(disk, path) ?? below();
  } catch {
    return "a .git file that leads nowhere";
  }
}

/** A submodule has a configuration of its own, which git obeys when it looks whether anything in there has changed. */
function submoduleTrouble(disk: Fs, top: string, git: string): string | null {
  try {
    const stat = disk.lstatSync(`${git}/index`, { throwIfNoEntry: false });
    if (!stat) return null;
    const known = stat.isFile() && stat.size <= maxIndex;
    const paths = known ? submodulesIn(disk.readFileSync(`${git}/index`)) : null;
    if (paths === null) return "an index that is not understood";
    const there = paths.find((path) => disk.lstatSync(`${top}/${path}/.git`, { throwIfNoEntry: false }));
    return there === undefined ? null : `the submodule ${there}`;
  } catch {
    return "an index that cannot be read";
  }
}

function repositoryTrouble(disk: Fs, git: string): string | null {
  if (disk.lstatSync(`${git}/commondir`, { throwIfNoEntry: false })) return "a repository that is kept elsewhere";
  return settingsTrouble(disk, git);
}

function settingsTrouble(disk: Fs, git: string): string | null {
  for (const name of ["config", "config.worktree"]) {
    const stat = disk.lstatSync(`${git}/${name}`, { throwIfNoEntry: false });
    if (!stat) continue;
    const file = stat.isFile() ? readSmall(disk, `${git}/${name}`, maxConfig) : undefined;
    if (!file || file.cut) return `a ${name} that cannot be read`;
    const trouble = configTrouble(file.text);
    if (trouble !== null) return trouble;
  }
  return null;
}
