// The file system as a port: the part of node:fs that Cinch uses, so that tests can fail any operation at any step.
// Synchronous calls are deliberate: project files and log lines are small, and a thread hop costs more than the call.
// Only `fsync` is awaited (see `syncFile`), because a slow disk must not stop the event loop.

import fs from "node:fs";

export type Fs = Pick<
  typeof fs,
  | "accessSync"
  | "chmodSync"
  | "chownSync"
  | "closeSync"
  | "createReadStream"
  | "existsSync"
  | "fchmodSync"
  | "fchownSync"
  | "fstatSync"
  | "fsync"
  | "fsyncSync"
  | "ftruncateSync"
  | "linkSync"
  | "lstatSync"
  | "mkdirSync"
  | "opendirSync"
  | "openSync"
  | "readdirSync"
  | "readFileSync"
  | "readlinkSync"
  | "readSync"
  | "realpathSync"
  | "renameSync"
  | "rmdirSync"
  | "rmSync"
  | "statSync"
  | "symlinkSync"
  | "unlinkSync"
  | "writeSync"
>;

export const nodeFs: Fs = fs;

/** fsync of an open file without blocking the event loop. */
export function syncFile(disk: Fs, fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    disk.fsync(fd, (error) => (error ? reject(error) : resolve()));
  });
}
