// The entries of one directory, without those that .gitignore files from the root down to it leave out.
// Invariant: bounded work whatever the size of the directory; `.git` is never listed. Global and per-clone ignore files are
// not consulted (ripgrep does that).

import type { Fs } from "./fs.js";
import { gitignore } from "./gitignore.js";
import type { Found } from "./search.js";
import { isTempName } from "./temp-name.js";

export const listLimits = { items: 200, examined: 20_000 };

/** `below` is relative to `root`, "" for the root itself. Directories end in "/". */
export async function listDirectory(disk: Fs, root: string, below: string): Promise<Found> {
  const ignored = ignoreRules(disk, root, below);
  const names: string[] = [];
  let examined = 0;
  const directory = disk.opendirSync(below === "" ? root : `${root}/${below}`);
  try {
    for (let entry = directory.readSync(); entry; entry = directory.readSync()) {
      if (++examined > listLimits.examined) break;
      const name = entry.isDirectory() ? `${entry.name}/` : entry.name;
      if (entry.name === ".git" || isTempName(entry.name) || ignored(below === "" ? name : `${below}/${name}`))
        continue;
      names.push(name);
    }
  } finally {
    directory.closeSync();
  }
  names.sort((a, b) => (a < b ? -1 : 1));
  const items = names.slice(0, listLimits.items);
  return { items, more: names.length - items.length, atLeast: examined > listLimits.examined };
}

/** A test for paths relative to `root`, directories with a final "/". */
function ignoreRules(disk: Fs, root: string, below: string): (path: string) => boolean {
  const parts = below === "" ? [] : below.split("/");
  const bases = parts.map((_, i) => parts.slice(0, i + 1).join("/"));
  const rules: IgnoreRules[] = [];
  for (const base of ["", ...bases]) {
    const own = readIgnoreRules(disk, root, base);
    if (own) rules.push(own);
  }
  return (path) => isIgnored(rules, path);
}

/** What one .gitignore says about paths relative to the root of all. */
export type IgnoreRules = ReturnType<typeof gitignore>;

/** The rules of the .gitignore in `root/base` (`base` = "" for the root itself), or null when there is none. */
export function readIgnoreRules(disk: Fs, root: string, base: string): IgnoreRules | null {
  const path = base === "" ? `${root}/.gitignore` : `${root}/${base}/.gitignore`;
  if (!disk.lstatSync(path, { throwIfNoEntry: false })?.isFile()) return null;
  const rules = gitignore(disk.readFileSync(path, "utf8"));
  return (tested) => rules(base === "" ? tested : tested.slice(base.length + 1));
}

/** `rules` from the root down; directories end in "/". A deeper file may take back what a higher one says. */
export function isIgnored(rules: readonly IgnoreRules[], path: string): boolean {
  let verdict = false;
  for (const test of rules) {
    const { ignored, unignored } = test(path);
    if (ignored) verdict = true;
    else if (unignored) verdict = false;
  }
  return verdict;
}
