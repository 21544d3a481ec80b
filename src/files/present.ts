// What is at given paths now, for undo: kind, mode and content hash, read once and remembered.
// Invariant: a path counts only where its directory is a real directory; what lies behind a link that somebody put in
// its place is not it. Nothing but regular files is opened.

import type { Stats } from "node:fs";
import type { Fs } from "../lib/fs.js";
import { sha256 } from "../lib/hash.js";
import { parent, resolvePath } from "../lib/paths.js";
import { readBytes, withFile } from "./bytes.js";
import type { State } from "./history.js";
import { isDirectory, isFile, isLink } from "./mode.js";
import { emptyHash } from "./scan.js";

export interface Found {
  state: State | null | "special";
  stat: Stats | null;
}

export class PresentFiles {
  readonly #disk: Fs;
  readonly #found = new Map<string, Found>();
  readonly #contents = new Map<string, Buffer>();

  constructor(disk: Fs) {
    this.#disk = disk;
  }

  /** Reads the paths; afterwards `at` and `content` answer from memory. Throws what the system says when one cannot be read. */
  async look(paths: Iterable<string>): Promise<void> {
    for (const path of paths) if (!this.#found.has(path)) this.#found.set(path, await this.#find(path));
  }

  at(path: string): Found["state"] {
    return this.#found.get(path)?.state ?? null;
  }

  stat(path: string): Stats | null {
    return this.#found.get(path)?.stat ?? null;
  }

  /** The content of a file that was looked at. */
  content(hash: string): Buffer | undefined {
    return this.#contents.get(hash);
  }

  async #find(path: string): Promise<Found> {
    const above = resolvePath(this.#disk, "/", parent(path));
    if (above.path !== parent(path) || !above.stat?.isDirectory()) return { state: null, stat: null };
    const stat = this.#disk.lstatSync(path, { throwIfNoEntry: false });
    if (!stat) return { state: null, stat: null };
    const { mode } = stat;
    if (isDirectory(mode)) return { state: { hash: emptyHash, mode }, stat };
    if (isLink(mode)) return { state: { hash: this.#keep(Buffer.from(this.#disk.readlinkSync(path))), mode }, stat };
    if (!isFile(mode)) return { state: "special", stat };
    const bytes = await withFile(this.#disk, { path, shown: path, stat }, "Nothing was changed.", (fd, opened) =>
      readBytes(this.#disk, fd, opened.size),
    );
    return { state: { hash: this.#keep(bytes), mode }, stat };
  }

  #keep(bytes: Buffer): string {
    const hash = sha256(bytes);
    this.#contents.set(hash, bytes);
    return hash;
  }
}
