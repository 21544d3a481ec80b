// Writing a file so that a reader, or a crash at any instant, finds the old content or the new one, never a part.
// Invariant: bytes go to a fresh temp file in the same directory, are synced, and take the name in one system call:
// rename to replace, link to create (link fails when the name exists, so a file created meanwhile is never overwritten).
// It does not sync the directory: callers collect directories and sync them at their next barrier (`syncDirectory`).

import { constants } from "node:fs";
import { type Fs, syncFile } from "./fs.js";
import { parent } from "./paths.js";
import { isLeftOver, isTempName, tempName } from "./temp-name.js";

export interface AtomicOptions {
  /** Permission bits of the file; without it a replaced or created file gets 0666 minus the umask. */
  mode?: number;
  /** Owner to give the file; ignored where the system does not allow it. */
  owner?: { uid: number; gid: number };
  /** Default true. Without it the content may be missing after a power failure, but not after a crash of ours. */
  sync?: boolean;
  /** Called right before the file takes its name, with nothing awaited in between; throw to abandon the write. */
  verify?: () => void;
}

/** Replaces or creates `path`. On any error `path` is as it was and the temp file is gone. */
export function replaceFile(disk: Fs, path: string, data: Uint8Array | string, options: AtomicOptions = {}) {
  return writeAtomically(disk, path, data, options, (temp) => disk.renameSync(temp, path));
}

/** Creates `path`; rejects with EEXIST, nothing changed, when the name is taken, also by a dangling link. */
export function createFile(disk: Fs, path: string, data: Uint8Array | string, options: AtomicOptions = {}) {
  return writeAtomically(disk, path, data, options, (temp) => {
    try {
      disk.linkSync(temp, path);
    } catch (error) {
      if (!noLinks.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
      // A disk without hard links: reserve the name exclusively, then replace the reservation.
      disk.closeSync(disk.openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600));
      try {
        disk.renameSync(temp, path);
      } catch (failure) {
        quietly(() => disk.unlinkSync(path));
        throw failure;
      }
      return;
    }
    // The file is there now; a temp name that cannot be removed is litter, not a failure.
    quietly(() => disk.unlinkSync(temp));
  });
}

const noLinks = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/** Removes what killed processes left of unfinished writes in `directory`. */
export function sweepTemps(disk: Fs, directory: string): void {
  let names: string[] = [];
  // A directory may be writable and not readable; then they stay.
  quietly(() => {
    names = disk.readdirSync(directory);
  });
  for (const name of names) {
    if (!isTempName(name)) continue;
    quietly(() => {
      const temp = `${directory}/${name}`;
      const stat = disk.lstatSync(temp);
      // Not only files: undo makes links this way.
      if (!stat.isDirectory() && isLeftOver(disk, name, stat.mtimeMs)) disk.unlinkSync(temp);
    });
  }
}

/** Makes name changes in `directory` durable. */
export async function syncDirectory(disk: Fs, directory: string): Promise<void> {
  const fd = disk.openSync(directory, constants.O_RDONLY);
  try {
    await syncFile(disk, fd);
  } finally {
    disk.closeSync(fd);
  }
}

async function writeAtomically(
  disk: Fs,
  path: string,
  data: Uint8Array | string,
  options: AtomicOptions,
  publish: (temp: string) => void,
): Promise<void> {
  const temp = `${parent(path)}/${tempName()}`;
  const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0);
  let fd = disk.openSync(temp, flags, options.mode === undefined ? 0o666 : 0o600);
  try {
    writeAll(disk, fd, typeof data === "string" ? Buffer.from(data) : data);
    if (options.owner) giveTo(disk, fd, options.owner);
    if (options.mode !== undefined) disk.fchmodSync(fd, options.mode & 0o777);
    if (options.sync !== false) await syncFile(disk, fd);
    const open = fd;
    fd = -1;
    disk.closeSync(open);
    options.verify?.();
    publish(temp);
  } catch (error) {
    if (fd >= 0) quietly(() => disk.closeSync(fd));
    quietly(() => disk.unlinkSync(temp));
    throw error;
  }
}

/** Writes every byte; a short write is continued. */
export function writeAll(disk: Pick<Fs, "writeSync">, fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += disk.writeSync(fd, bytes, at, bytes.length - at);
}

function giveTo(disk: Fs, fd: number, owner: { uid: number; gid: number }): void {
  const now = disk.fstatSync(fd);
  if (now.uid === owner.uid && now.gid === owner.gid) return;
  try {
    disk.fchownSync(fd, owner.uid, owner.gid);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
  }
}

/** For cleaning up only: what came before it, good or bad, is what the caller must hear about. */
function quietly(act: () => void): void {
  try {
    act();
  } catch {}
}
