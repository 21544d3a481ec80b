// Empty directories that hold a name while a command runs: a mount needs something to be put on.
// Invariant: only what was made here, or by another Cinch of this user, is removed, only while it is empty, and by the last
// that needs it: each leaves a mark of its own in a directory for the name, which goes only when no mark is in it, and only
// who removed that removes the name. A supervisor does the same should this process die; marks of the dead are passed over.
// An empty directory is nothing to git and to those who look for a file.

import { join } from "node:path";
import { codeOf } from "../../core/errors.js";
import type { Fs } from "../../lib/fs.js";
import { sha256 } from "../../lib/hash.js";
import type { Tidier } from "../../lib/supervisor.js";

export class Placeholders {
  readonly #disk: Fs;
  readonly #tidier: Tidier;
  /** How many commands need each. */
  readonly #users = new Map<string, number>();

  constructor(disk: Fs, tidier: Tidier) {
    this.#disk = disk;
    this.#tidier = tidier;
  }

  /**
   * `absent`: makes them. `there`: those of them that are placeholders of another Cinch are needed by this one, too. Returns
   * the absent ones that are there now, made here or by somebody else meanwhile, and what to release.
   */
  take(absent: readonly string[], there: readonly string[]): { held: string[]; release(): void } {
    const needed = [
      ...absent.filter((path) => this.#need(path, true)),
      ...there.filter((path) => this.#need(path, false)),
    ];
    const held = absent.filter((path) => this.#disk.existsSync(path));
    return { held, release: () => this.#release(needed) };
  }

  /** True when it is a placeholder, and this process is now one of those that need it. */
  #need(path: string, make: boolean): boolean {
    const users = this.#users.get(path) ?? 0;
    if (users === 0 && !(make ? this.#make(path) : this.#join(path))) return false;
    this.#users.set(path, users + 1);
    return true;
  }

  #release(paths: readonly string[]): void {
    for (const path of paths) {
      const users = this.#users.get(path) ?? 0;
      this.#users.set(path, users - 1);
      if (users > 1) continue;
      this.#users.delete(path);
      this.#leave(path);
    }
  }

  #make(path: string): boolean {
    this.#mark(path);
    try {
      this.#disk.mkdirSync(path, { mode: 0o755 });
      return true;
    } catch (error) {
      const code = codeOf(error) ?? "";
      // Another Cinch was faster.
      if (code === "EEXIST" && this.#marks(path).length > 1) return true;
      this.#leave(path, false);
      // Taken by somebody else, or in a directory where we cannot make anything, and neither can the command.
      if (["EEXIST", "EACCES", "EROFS", "ENOENT"].includes(code)) return false;
      throw error;
    }
  }

  #join(path: string): boolean {
    if (this.#marks(path).length === 0) return false;
    this.#mark(path);
    if (this.#marks(path).length > 1) return true;
    // The last of the others has just left, and takes the name along.
    this.#leave(path, false);
    return this.#make(path);
  }

  #mark(path: string): void {
    const place = this.#placeOf(path);
    this.#tidier.made(path, place);
    this.#disk.mkdirSync(place, { recursive: true, mode: 0o700 });
    this.#disk.closeSync(this.#disk.openSync(join(place, this.#tidier.mark), "w", 0o600));
  }

  /** Those of processes that are on record, oneself included. */
  #marks(path: string): string[] {
    try {
      return this.#disk.readdirSync(this.#placeOf(path)).filter((mark) => this.#tidier.isOnRecord(mark));
    } catch (error) {
      if (codeOf(error) === "ENOENT") return [];
      throw error;
    }
  }

  /** `made`: the name is a placeholder, and goes if nobody else needs it. */
  #leave(path: string, made = true): void {
    const place = this.#placeOf(path);
    this.#disk.rmSync(join(place, this.#tidier.mark), { force: true });
    if (this.#marks(path).length === 0) {
      for (const dead of this.#disk.existsSync(place) ? this.#disk.readdirSync(place) : [])
        this.#disk.rmSync(join(place, dead), { force: true });
    }
    if (this.#remove(place) && made) this.#remove(path);
    this.#tidier.removed(path);
  }

  /** False when it stays: somebody outside has filled, replaced or removed it, and then it is theirs. */
  #remove(path: string): boolean {
    try {
      this.#disk.rmdirSync(path);
      return true;
    } catch (error) {
      if (["ENOTEMPTY", "EEXIST", "ENOTDIR", "ENOENT"].includes(codeOf(error) ?? "")) return false;
      throw error;
    }
  }

  #placeOf(path: string): string {
    return join(this.#tidier.markPlace, sha256(path).slice(0, 16));
  }
}
