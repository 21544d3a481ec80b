// What is at given paths now, for undo: kind, mode and content hash, read once and remembered.
// Invariant: a path counts only where its directory is a real directory; what lies behind a link that somebody put in
// its place is not it. Nothing but regular files is opened.

import type { Stats } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { codeOf } from "../../core/errors.js";
import type { Fs } from "../../lib/fs.js";
import { sha256 } from "../../lib/hash.js";
import { parent, resolvePath } from "../../lib/paths.js";
import { isSame, readBytes, withFile } from "../bytes.js";
import { emptyHash } from "../journal/scan.js";
import { isDirectory, isFile, isLink } from "../mode.js";
import type { State } from "./history.js";

export interface Found {
  /** `special`: neither file, link nor directory; `hidden`: the system does not let it be looked at. */
  state: State | null | "special" | "hidden";
  stat: Stats | null;
}

export class PresentFiles {
  readonly #disk: Fs;
  readonly #found = new Map<string, Found>();
  readonly #contents = new Map<string, Buffer>();

  constructor(disk: Fs) {
    this.#disk = disk;
  }

  /** Reads the paths; afterwards `at` and `content` answer from memory. */
  async look(paths: Iterable<string>): Promise<void> {
    for (const path of paths) if (!this.#found.has(path)) this.#found.set(path, await this.#findOrHidden(path));
  }

  /** It was looked at. */
  has(path: string): boolean {
    return this.#found.has(path);
  }

  /** What is still the same but for its stamps, as when another name of the file went, is known by the new ones from now on. */
  async renew(paths: Iterable<string>): Promise<void> {
    for (const path of paths) {
      const known = this.#found.get(path);
      if (!known?.stat || known.stat.isDirectory() || isSame(this.#disk, path, known.stat)) continue;
      const now = await this.#findOrHidden(path);
      if (isDeepStrictEqual(now.state, known.state)) this.#found.set(path, now);
    }
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

  async #findOrHidden(path: string): Promise<Found> {
    try {
      return await this.#find(path);
    } catch (error) {
      const code = codeOf(error);
      if (code !== "EACCES" && code !== "EPERM") throw error;
      return { state: "hidden", stat: this.#statOf(path) };
    }
  }

  #statOf(path: string): Stats | null {
    try {
      return this.#disk.lstatSync(path, { throwIfNoEntry: false }) ?? null;
    } catch (error) {
      // Nobody can say what is there; who asks is told so by the state.
      if (codeOf(error) === undefined) throw error;
      return null;
    }
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
