// A directory as one text: every entry with kind, permissions and content, so that two trees can be compared byte for byte.

import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** One line per entry, by path; `skip` = names that are left out with all that is below them. */
export function treeOf(root: string, skip: readonly string[] = [".git"]): string[] {
  const lines: string[] = [];
  const walk = (directory: string, shown: string) => {
    for (const name of readdirSync(directory).sort()) {
      if (skip.includes(name)) continue;
      const path = join(directory, name);
      const stat = lstatSync(path);
      const mode = (stat.mode & 0o7777).toString(8);
      const label = `${shown}${name}`;
      if (stat.isDirectory()) {
        lines.push(`${label}/ ${mode}`);
        walk(path, `${label}/`);
      } else if (stat.isSymbolicLink()) lines.push(`${label} -> ${readlinkSync(path)}`);
      else lines.push(`${label} ${mode} ${readFileSync(path).toString("base64")}`);
    }
  };
  walk(root, "");
  return lines;
}
