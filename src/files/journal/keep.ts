// Taking contents for the journal: what is read into the object store, and what is not because a limit says so.
// Invariant: a hash that is returned is that of the content; whether the bytes are kept as well depends on the limits, and
// whatever is not kept is named once per kind. Few contents become objects of their own, many one pack.

import { createHash } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { codeOf, messageOf } from "../../core/errors.js";
import type { Fs } from "../../lib/fs.js";
import { sha256 } from "../../lib/hash.js";
import type { ObjectStore } from "../../lib/object-store.js";
import { readBytes } from "../bytes.js";
import { isLink } from "../mode.js";
import type { Candidate, Excluded } from "./scan.js";

/** Bytes. */
export interface JournalLimits {
  /** Largest file that is kept. */
  file: number;
  /** Largest file that .gitignore leaves out and that is kept all the same. */
  ignored: number;
  /** New contents of one session. */
  session: number;
  /** Files and directories that are looked at. */
  entries: number;
}

/** Why something is not covered. */
export type Gap = Excluded | "large" | "ignored" | "session" | "store";

export interface Uncovered {
  path: string;
  gap: Gap;
  /** Bytes, where the size is the reason. */
  size?: number;
  /** What the system said, where that is the reason. */
  text?: string;
}

/** Fewer new contents than this are objects of their own. */
const packFrom = 8;
const hashChunk = 1024 * 1024;

export class Keeper {
  readonly #disk: Fs;
  readonly #objects: ObjectStore;
  readonly #limits: JournalLimits;
  readonly #leave: (uncovered: Uncovered) => void;
  #spent = 0;
  #fresh: Buffer[] = [];
  #pack: ReturnType<ObjectStore["pack"]> | undefined;
  /** What is not kept gets a name all the same. */
  #names = false;

  constructor(options: {
    disk: Fs;
    objects: ObjectStore;
    limits: JournalLimits;
    leave: (uncovered: Uncovered) => void;
  }) {
    this.#disk = options.disk;
    this.#objects = options.objects;
    this.#limits = options.limits;
    this.#leave = options.leave;
  }

  /**
   * Brackets a scan; `first`: everything is new, and what is beyond the limits is not read to give it a name. What was taken is
   * in the store at the end.
   */
  async during<Result>(first: boolean, scan: () => Promise<Result>): Promise<Result> {
    this.#names = !first;
    try {
      const result = await scan();
      this.#attempt(() => {
        for (const bytes of this.#fresh) this.#objects.put(bytes);
        this.#pack?.end();
        this.#pack = undefined;
      });
      return result;
    } finally {
      this.#pack?.abandon();
      this.#pack = undefined;
      this.#fresh = [];
    }
  }

  /** The hash of a candidate's content: null = not taken, undefined = not there any more. */
  async take(candidate: Candidate): Promise<string | null | undefined> {
    const { path, stat, before } = candidate;
    try {
      if (isLink(stat.mode)) return this.#keep(path, Buffer.from(this.#disk.readlinkSync(path)));
      const gap = await this.#gap(candidate);
      if (!gap) return this.#keep(path, this.#read(path));
      this.#leave(gap);
      // What is there for the first time by now, or was known, is named by its hash although it is not kept.
      const named = this.#names && (before === null || before.hash !== null);
      return named ? await this.#hash(path) : null;
    } catch (error) {
      const code = codeOf(error);
      if (code === undefined) throw error;
      if (code === "ENOENT" || code === "ENOTDIR") return undefined;
      if (before && before.size === stat.size && before.mtime === stat.mtimeMs) return before.hash;
      this.#leave({ path, gap: "unreadable" });
      return null;
    }
  }

  async #gap({ path, stat, ignored }: Candidate): Promise<Uncovered | null> {
    const { file, ignored: small, session } = this.#limits;
    const { size } = stat;
    if (size > small && (await ignored())) return { path, gap: "ignored", size };
    if (size > file) return { path, gap: "large", size };
    if (this.#spent + size > session) return { path, gap: "session" };
    return null;
  }

  #read(path: string): Buffer {
    return this.#open(path, (fd, stat) => readBytes(this.#disk, fd, stat.size));
  }

  async #hash(path: string): Promise<string> {
    const hash = createHash("sha256");
    const chunk = Buffer.allocUnsafe(hashChunk);
    const fd = this.#disk.openSync(path, flags);
    try {
      for (;;) {
        const got = this.#disk.readSync(fd, chunk, 0, hashChunk, null);
        if (got === 0) return hash.digest("hex");
        hash.update(chunk.subarray(0, got));
        await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      this.#disk.closeSync(fd);
    }
  }

  #open<Result>(path: string, use: (fd: number, stat: Stats) => Result): Result {
    const fd = this.#disk.openSync(path, flags);
    try {
      return use(fd, this.#disk.fstatSync(fd));
    } finally {
      this.#disk.closeSync(fd);
    }
  }

  #keep(path: string, bytes: Buffer): string {
    const hash = sha256(bytes);
    if (this.#objects.has(hash)) return hash;
    this.#spent += bytes.length;
    this.#attempt(() => {
      if (!this.#pack) {
        this.#fresh.push(bytes);
        if (this.#fresh.length < packFrom) return;
        this.#pack = this.#objects.pack();
        for (const held of this.#fresh) this.#pack.add(held);
        this.#fresh = [];
      } else this.#pack.add(bytes);
    }, path);
    return hash;
  }

  /** A store that cannot take more costs coverage, not the session. */
  #attempt(act: () => void, path = ""): void {
    try {
      act();
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      this.#leave({ path, gap: "store", text: messageOf(error) });
    }
  }
}

const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
