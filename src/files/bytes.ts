// Opening a project file: never blocks, never follows a link that appeared meanwhile, never anything but a regular file.
// Invariant: the descriptor that is read belongs to the canonical path that was judged; where /proc exists it is asked,
// elsewhere a fresh walk must give the same device and inode. What remains is a rename of an ancestor during the call.

import { constants, type Stats } from "node:fs";
import { Refusal } from "../core/errors.js";
import type { Fs } from "../lib/fs.js";
import { resolvePath } from "../lib/paths.js";
import { type Located, mustBeRegular } from "./territory.js";

const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Calls `use` with an open descriptor and closes it. `located.stat` must not be null. */
export async function withFile<Result>(
  disk: Fs,
  located: Located,
  now: string,
  use: (fd: number, stat: Stats) => Promise<Result> | Result,
): Promise<Result> {
  const { fd, stat } = open(disk, located, now);
  try {
    return await use(fd, stat);
  } finally {
    disk.closeSync(fd);
  }
}

/** A located file; `entry`: how it is reached, when not by its path. */
export interface Reached extends Located {
  entry?: string;
}

/** The bytes of a regular file as it is now, and its state at that moment. */
export function readWhole(disk: Fs, located: Reached, now: string): { stat: Stats; bytes: Buffer } {
  const { fd, stat } = open(disk, located, now);
  try {
    return { stat, bytes: readBytes(disk, fd, stat.size) };
  } finally {
    disk.closeSync(fd);
  }
}

function open(disk: Fs, located: Reached, now: string): { fd: number; stat: Stats } {
  if (located.stat) mustBeRegular({ shown: located.shown, stat: located.stat }, now);
  const fd = disk.openSync(located.entry ?? located.path, flags);
  try {
    const stat = disk.fstatSync(fd);
    mustBeRegular({ shown: located.shown, stat }, now);
    if (isAt(disk, fd, stat, located.path)) return { fd, stat };
  } catch (error) {
    disk.closeSync(fd);
    throw error;
  }
  disk.closeSync(fd);
  throw new Refusal("outside", `${located.shown} was moved or replaced by a link in this moment. ${now} Try again.`);
}

/** Whether the open file is the one at `path`, no link in between. */
function isAt(disk: Fs, fd: number, stat: Stats, path: string): boolean {
  if (process.platform === "linux") {
    try {
      return disk.readlinkSync(`/proc/self/fd/${fd}`, "utf8") === path;
    } catch {
      // No /proc: the walk below decides.
    }
  }
  const again = resolvePath(disk, "/", path);
  return again.path === path && again.stat?.dev === stat.dev && again.stat.ino === stat.ino;
}

/** The first `size` bytes, or less when the file is shorter. */
export function readBytes(disk: Fs, fd: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let have = 0;
  while (have < size) {
    const got = disk.readSync(fd, bytes, have, size - have, null);
    if (got === 0) break;
    have += got;
  }
  return bytes.subarray(0, have);
}

/** Whether a file is still the very one that was opened, unchanged since. */
export function isSame(disk: Fs, path: string, stat: Stats): boolean {
  const now = disk.lstatSync(path, { throwIfNoEntry: false });
  return (
    now !== undefined &&
    now.dev === stat.dev &&
    now.ino === stat.ino &&
    now.size === stat.size &&
    now.mtimeMs === stat.mtimeMs &&
    now.ctimeMs === stat.ctimeMs
  );
}
