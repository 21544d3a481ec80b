// What lies in a project and is not looked at: known by name and inode, so that it is noticed when it goes away.
// Invariant: a spot stands for one file or directory; another one under its name is a new spot, and the old one is gone.
// Deliberately knows nothing of contents, and not why a spot is one.

import type { Stats } from "node:fs";
import type { Fs } from "../../lib/fs.js";

export interface Gone {
  path: string;
  /** st_mode it had. */
  mode: number;
}

interface Spot {
  mode: number;
  ino: number;
  /** Where it is, when no string can say it. */
  at: string | Buffer;
}

export class BlindSpots {
  readonly #disk: Fs;
  readonly #spots = new Map<string, Spot | null>();

  constructor(disk: Fs) {
    this.#disk = disk;
  }

  has(path: string): boolean {
    return this.#spots.has(path);
  }

  /** `stat`: what is there; null = nothing that anybody would miss. */
  add(path: string, stat: Pick<Stats, "mode" | "ino"> | null): void {
    if (!this.#spots.has(path)) this.#spots.set(path, stat && { mode: stat.mode, ino: stat.ino, at: path });
  }

  /** The same for what is at `at` now, which may be a path in bytes; false when it was known already. */
  find(path: string, at: string | Buffer): boolean {
    const stat = this.#look(at);
    if (this.#spots.has(path) || !stat || stat === "hidden") return false;
    this.#spots.set(path, { mode: stat.mode, ino: stat.ino, at });
    return true;
  }

  /** Those that a string can lead to. */
  all(): Gone[] {
    return [...this.#spots].flatMap(([path, spot]) => (spot?.at === path ? [{ path, mode: spot.mode }] : []));
  }

  /** Spots that are not there any more, since the last call. */
  gone(): Gone[] {
    const gone: Gone[] = [];
    for (const [path, spot] of this.#spots) {
      const now = spot && this.#look(spot.at);
      if (!spot || now === "hidden" || now?.ino === spot.ino) continue;
      gone.push({ path, mode: spot.mode });
      if (now) this.#spots.set(path, { mode: now.mode, ino: now.ino, at: spot.at });
      else this.#spots.delete(path);
    }
    return gone;
  }

  #look(path: string | Buffer): Stats | null | "hidden" {
    try {
      return this.#disk.lstatSync(path, { throwIfNoEntry: false }) ?? null;
    } catch {
      // Its directory cannot be searched for now; what is in it is still there.
      return "hidden";
    }
  }
}
