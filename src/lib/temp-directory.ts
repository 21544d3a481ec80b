// Directories of our own in the temporary directory of the system. Their name says whose they are (temp-name.ts).
// Invariant: only what this user owns and a dead process left is removed; a name alone proves nothing where everybody may write.

import type { Fs } from "./fs.js";
import { isLeftOver, isTempDirectoryName, tempDirectoryName } from "./temp-name.js";

/** Makes one below `parent`, after removing what dead processes left there. */
export function makeTempDirectory(disk: Fs, parent: string): string {
  for (const path of tempDirectories(disk, parent).leftOver) {
    try {
      disk.rmSync(path, { recursive: true, force: true });
    } catch {
      // Directories that even their owner may not enter; `cinch doctor` lists them.
    }
  }
  const path = `${parent}/${tempDirectoryName()}`;
  disk.mkdirSync(path, { mode: 0o700 });
  return path;
}

/** Those of this user: of dead processes, and of which nothing is known because an earlier version named them. */
export function tempDirectories(disk: Fs, parent: string): { leftOver: string[]; unknown: string[] } {
  const found = { leftOver: [] as string[], unknown: [] as string[] };
  for (const name of disk.readdirSync(parent)) {
    const isNamed = isTempDirectoryName(name);
    if (!isNamed && !/^cinch-[0-9a-f]{16}$/.test(name)) continue;
    const path = `${parent}/${name}`;
    const stat = disk.lstatSync(path, { throwIfNoEntry: false });
    if (!stat?.isDirectory() || stat.uid !== process.getuid?.()) continue;
    if (!isNamed) found.unknown.push(path);
    else if (isLeftOver(disk, name, stat.mtimeMs)) found.leftOver.push(path);
  }
  return found;
}

/** Bytes of the files below a directory, as far as it can be read. */
export function sizeOf(disk: Fs, directory: string): number {
  try {
    return disk.readdirSync(directory).reduce((sum, name) => {
      const path = `${directory}/${name}`;
      const stat = disk.lstatSync(path, { throwIfNoEntry: false });
      return sum + (stat?.isDirectory() ? sizeOf(disk, path) : (stat?.size ?? 0));
    }, 0);
  } catch {
    return 0;
  }
}
