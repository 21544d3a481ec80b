// A directory that is held open, so that what happens to its entries happens in that very directory, wherever its name
// leads by then.
// Invariant: on Linux every operation goes through the open handle, whose place the kernel was asked for after it was
// opened; a directory swapped for a link before or during the operation changes nothing outside. Where there is no /proc
// the path is used as it is, and `isHere` compares a fresh walk with the directory that was opened.
// It does not guard the entry itself: whoever replaces an entry with another file of the same directory is not noticed here.

import { constants, type Stats } from "node:fs";
import { codeOf } from "../core/errors.js";
import { type Fs, nodeFs } from "./fs.js";
import { resolvePath } from "./paths.js";

/** A directory that is not, or no longer, at the path it is known by. */
export class MovedError extends Error {
  override name = "MovedError";
}

/** Linux: opens a name without opening what it stands for. Node does not list it; the value is the kernel's generic one. */
const pathOnly = 0o10000000;
const directoryFlags = constants.O_DIRECTORY | constants.O_NOFOLLOW;

let handles: boolean | undefined;

/** Can an open directory be used by its number? Asked of the system once: it cannot change. */
function haveHandles(): boolean {
  handles ??= process.platform === "linux" && nodeFs.existsSync("/proc/self/fd");
  return handles;
}

export class DirectoryHandle {
  /** Canonical, as it was opened. */
  readonly path: string;
  readonly #disk: Fs;
  readonly #fd: number;
  /** Where there are no handles: the directory that was opened. */
  readonly #stat: Stats | null;

  private constructor(disk: Fs, path: string, fd: number) {
    this.#disk = disk;
    this.path = path;
    this.#fd = fd;
    this.#stat = haveHandles() ? null : disk.fstatSync(fd);
  }

  /**
   * Opens the directory at `path`, which must be canonical.
   * @throws MovedError when a link is on the way, or the system's error (ENOENT, ENOTDIR, EACCES, …)
   */
  static open(disk: Fs, path: string): DirectoryHandle {
    return DirectoryHandle.#open(disk, path, path);
  }

  /** `name` reaches the directory that is to be at `path`. */
  static #open(disk: Fs, name: string, path: string): DirectoryHandle {
    let fd: number;
    try {
      fd = disk.openSync(name, directoryFlags | (haveHandles() ? pathOnly : constants.O_RDONLY));
    } catch (error) {
      // With these flags a link is no directory.
      if (codeOf(error) === "ENOTDIR" || codeOf(error) === "ELOOP") throw new MovedError(path);
      throw error;
    }
    try {
      const handle = new DirectoryHandle(disk, path, fd);
      if (handle.isHere()) return handle;
      throw new MovedError(path);
    } catch (error) {
      disk.closeSync(fd);
      throw error;
    }
  }

  /** The path by which an entry is reached through this handle. */
  entry(name: string): string {
    return this.#stat === null ? `/proc/self/fd/${this.#fd}/${name}` : `${this.path === "/" ? "" : this.path}/${name}`;
  }

  /** Opens the directory `name` in this one, made first if nothing has that name. Says whether it was made. */
  enter(name: string): { handle: DirectoryHandle; made: boolean } {
    const path = `${this.path === "/" ? "" : this.path}/${name}`;
    const made = this.#make(name);
    try {
      return { handle: DirectoryHandle.#open(this.#disk, this.entry(name), path), made };
    } catch (error) {
      if (made) this.removeEmpty(name);
      throw error;
    }
  }

  #make(name: string): boolean {
    try {
      this.#disk.mkdirSync(this.entry(name));
      return true;
    } catch (error) {
      if (codeOf(error) === "EEXIST") return false;
      throw error;
    }
  }

  /** Removes a directory in this one, unless something is in it or it cannot be removed. */
  removeEmpty(name: string): void {
    this.#tolerating(() => this.#disk.rmdirSync(this.entry(name)));
  }

  /** Is this directory still the one its path leads to, with no link in between? */
  isHere(): boolean {
    if (this.#stat === null) return this.#disk.readlinkSync(`/proc/self/fd/${this.#fd}`, "utf8") === this.path;
    const now = resolvePath(this.#disk, "/", this.path);
    return now.path === this.path && now.stat?.dev === this.#stat.dev && now.stat.ino === this.#stat.ino;
  }

  /** Was this directory moved while something was done in it? What cannot be told does not take back what was done. */
  wasMoved(): boolean {
    return this.#tolerating(() => !this.isHere()) ?? false;
  }

  /** Nothing was written through this descriptor, so nothing can be lost with it. */
  close(): void {
    this.#tolerating(() => this.#disk.closeSync(this.#fd));
  }

  #tolerating<Result>(act: () => Result): Result | undefined {
    try {
      return act();
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      return undefined;
    }
  }
}
