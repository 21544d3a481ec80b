// Empty directories that hold a name while a command runs: a mount needs something to be put on.
// Invariant: only what was made here is removed, only while it is empty, and not while another command needs it; a supervisor
// removes it should this process die. An empty directory is nothing to git and to those who look for a file.

import { codeOf } from "../core/errors.js";
import type { Fs } from "../lib/fs.js";
import type { Tidier } from "../lib/supervisor.js";

export class Placeholders {
  readonly #disk: Fs;
  readonly #tidier: Tidier;
  /** How many commands need each. */
  readonly #users = new Map<string, number>();

  constructor(disk: Fs, tidier: Tidier) {
    this.#disk = disk;
    this.#tidier = tidier;
  }

  /** Returns those of the paths that are there now, made here or by somebody else meanwhile. */
  take(paths: readonly string[]): string[] {
    return paths.filter((path) => {
      const users = this.#users.get(path) ?? 0;
      const made = users > 0 || this.#make(path);
      if (made) this.#users.set(path, users + 1);
      return made || this.#disk.existsSync(path);
    });
  }

  release(paths: readonly string[]): void {
    for (const path of paths) {
      const users = this.#users.get(path);
      if (users === undefined) continue;
      this.#users.set(path, users - 1);
      if (users > 1) continue;
      this.#users.delete(path);
      this.#remove(path);
    }
  }

  #make(path: string): boolean {
    this.#tidier.made(path);
    try {
      this.#disk.mkdirSync(path, { mode: 0o755 });
      return true;
    } catch (error) {
      this.#tidier.removed(path);
      // Taken since it was looked at, or in a directory where we cannot make anything, and neither can the command.
      if (["EEXIST", "EACCES", "EROFS", "ENOENT"].includes(codeOf(error) ?? "")) return false;
      throw error;
    }
  }

  #remove(path: string): void {
    try {
      this.#disk.rmdirSync(path);
    } catch (error) {
      // Somebody outside has filled, replaced or removed it: then it is theirs.
      if (!["ENOTEMPTY", "EEXIST", "ENOTDIR", "ENOENT"].includes(codeOf(error) ?? "")) throw error;
    }
    this.#tidier.removed(path);
  }
}
