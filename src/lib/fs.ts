// The file system as a port: the part of node:fs that Cinch uses, so that tests can fail any operation at any step.
// Synchronous calls are deliberate: project files and log lines are small, and a thread hop costs more than the call.
// Only `fsync` is awaited (see `syncFile`), because a slow disk must not stop the event loop.

import fs from "node:fs";
import { dirname } from "node:path";

const names = [
  "accessSync",
  "chmodSync",
  "chownSync",
  "closeSync",
  "createReadStream",
  "existsSync",
  "fchmodSync",
  "fchownSync",
  "fstatSync",
  "fsync",
  "fsyncSync",
  "ftruncateSync",
  "linkSync",
  "lstatSync",
  "mkdirSync",
  "opendirSync",
  "openSync",
  "readdirSync",
  "readFileSync",
  "readlinkSync",
  "readSync",
  "realpathSync",
  "renameSync",
  "rmdirSync",
  "rmSync",
  "statSync",
  "symlinkSync",
  "unlinkSync",
  "writeSync",
] as const;

/** Flags for `openSync` and `accessSync`, for those who get their disk passed in. */
export { constants as diskFlags } from "node:fs";

export type Fs = Pick<typeof fs, (typeof names)[number]>;

/**
 * Makes a directory and its parents. Node's own way never returns where the system says ENOENT although the parent
 * exists (below /proc, Node 20), so the parents are made one by one; other processes may be at the same.
 */
function makeDirectories(path: string, mode: number | undefined, again = true): string | undefined {
  try {
    fs.mkdirSync(path, { mode });
    return path;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "EEXIST" && fs.statSync(path).isDirectory()) return undefined;
    const parent = dirname(path);
    if (code !== "ENOENT" || parent === path) throw error;
    if (fs.existsSync(parent)) {
      // Somebody made it since, or this is a place where nothing can be made.
      if (!again) throw error;
      return makeDirectories(path, mode, false);
    }
    const first = makeDirectories(parent, mode);
    const own = makeDirectories(path, mode, false);
    return first ?? own;
  }
}

const mkdirSync = ((path: string, options?: { recursive?: boolean; mode?: number }) =>
  options?.recursive ? makeDirectories(path, options.mode) : fs.mkdirSync(path, options)) as Fs["mkdirSync"];

export const nodeFs: Fs = { ...(Object.fromEntries(names.map((name) => [name, fs[name]])) as Fs), mkdirSync };

/** fsync of an open file without blocking the event loop. */
export function syncFile(disk: Fs, fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    disk.fsync(fd, (error) => (error ? reject(error) : resolve()));
  });
}
