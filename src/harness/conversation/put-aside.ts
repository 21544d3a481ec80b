// Texts of a session that are too long for its conversation: put aside as files that the model can read.

import { join } from "node:path";
import { writeAll } from "../../lib/atomic-file.js";
import { diskFault } from "../../lib/disk-fault.js";
import type { Fs } from "../../lib/fs.js";
import { sha256 } from "../../lib/hash.js";
import { HeadTail } from "../../lib/truncate.js";
import { knownSecrets } from "../../secrets/known.js";

/** Characters of a result that stay in the conversation; the whole is put aside and can be read as a file. */
const maxResult = 30_000;

export class PutAside {
  readonly #disk: Fs;
  readonly #directory: string;

  constructor(disk: Fs, directory: string) {
    this.#disk = disk;
    this.#directory = directory;
  }

  /** What the model reads of a result: all of it, or head and tail and where the whole is. */
  cut(call: string, text: string): string {
    if (text.length <= maxResult) return text;
    const path = this.keep(call, text);
    const place = path === null ? "the whole of it could not be kept" : `all of it is in ${path}`;
    const bounded = new HeadTail({ head: maxResult / 2, tail: maxResult / 2 });
    bounded.push(Buffer.from(text));
    return bounded.render((lines, left) => `[${lines} lines, ${left} bytes left out here; ${place}]`);
  }

  /** Puts a text aside where the model can read it; null when the disk does not take it, which costs the copy only. */
  keep(call: string, text: string): string | null {
    try {
      return this.#write(call, text);
    } catch (error) {
      if (diskFault(error) === null) throw error;
      return null;
    }
  }

  #write(call: string, text: string): string {
    const [disk, path] = [this.#disk, join(this.#directory, `${sha256(call).slice(0, 16)}.txt`)];
    disk.mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const fd = disk.openSync(path, "w", 0o600);
    try {
      writeAll(disk, fd, Buffer.from(knownSecrets.values(text)));
    } finally {
      disk.closeSync(fd);
    }
    return path;
  }
}
