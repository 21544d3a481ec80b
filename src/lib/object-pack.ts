// Many objects in one file: `<id>.pack` holds their bytes one after the other, `<id>.idx` says where each one is
// ("<sha256> <offset> <length>" a line). For the first look at a project, where a file per object would cost ten times more.
// Invariant: an index is complete or absent, and is written after its pack; what is read is checked against its name.

import { randomBytes } from "node:crypto";
import { writeAll } from "./atomic-file.js";
import type { Fs } from "./fs.js";
import { sha256 } from "./hash.js";

interface Span {
  file: string;
  offset: number;
  length: number;
}

type Done = (spans: ReadonlyMap<string, Span>) => void;

/** Bytes held back before they are written. */
const chunk = 1024 * 1024;

/** The packs of one directory. Read at the first question, so a store without packs costs one failed listing. */
export class Packs {
  readonly #disk: Fs;
  readonly #directory: string;
  #spans: Map<string, Span> | undefined;

  constructor(disk: Fs, directory: string) {
    this.#disk = disk;
    this.#directory = directory;
  }

  has(hash: string): boolean {
    return this.#index().has(hash);
  }

  get(hash: string): Buffer | undefined {
    const span = this.#index().get(hash);
    if (!span) return undefined;
    const bytes = Buffer.alloc(span.length);
    const fd = this.#disk.openSync(span.file, "r");
    try {
      for (let at = 0; at < span.length; ) {
        const got = this.#disk.readSync(fd, bytes, at, span.length - at, span.offset + at);
        if (got === 0) return undefined;
        at += got;
      }
    } finally {
      this.#disk.closeSync(fd);
    }
    return sha256(bytes) === hash ? bytes : undefined;
  }

  /** Of every object in them. */
  hashes(): Iterable<string> {
    return this.#index().keys();
  }

  /** A new pack. `known` = objects that need not go in. */
  begin(known: (hash: string) => boolean): PackWriter {
    return new PackWriter(this.#disk, this.#directory, known, (spans) => {
      const index = this.#index();
      for (const [hash, span] of spans) index.set(hash, span);
    });
  }

  #index(): Map<string, Span> {
    if (this.#spans) return this.#spans;
    const spans = new Map<string, Span>();
    for (const name of names(this.#disk, this.#directory)) {
      if (!name.endsWith(".idx")) continue;
      const file = `${this.#directory}/${name.slice(0, -4)}.pack`;
      for (const line of this.#disk.readFileSync(`${this.#directory}/${name}`, "utf8").split("\n")) {
        const [hash = "", offset, length] = line.split(" ");
        if (length !== undefined) spans.set(hash, { file, offset: Number(offset), length: Number(length) });
      }
    }
    this.#spans = spans;
    return spans;
  }
}

/** Nothing of it can be found before `end`. Files are made with the first object. */
export class PackWriter {
  readonly #disk: Fs;
  readonly #directory: string;
  readonly #known: (hash: string) => boolean;
  readonly #done: Done;
  readonly #spans = new Map<string, Span>();
  readonly #base: string;
  #fd = -1;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #size = 0;

  constructor(disk: Fs, directory: string, known: (hash: string) => boolean, done: Done) {
    this.#disk = disk;
    this.#directory = directory;
    this.#known = known;
    this.#done = done;
    this.#base = `${directory}/${randomBytes(8).toString("hex")}`;
  }

  /** Keeps `bytes` and returns their sha256. */
  add(bytes: Uint8Array): string {
    const hash = sha256(bytes);
    if (this.#spans.has(hash) || this.#known(hash)) return hash;
    this.#spans.set(hash, { file: `${this.#base}.pack`, offset: this.#size, length: bytes.length });
    this.#size += bytes.length;
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    if (this.#heldBytes >= chunk) this.#write();
    return hash;
  }

  /** The files that were written, to be synced when that is due; none when nothing new was added. */
  end(): string[] {
    if (this.#spans.size === 0) return [];
    this.#write();
    this.#disk.closeSync(this.#fd);
    this.#fd = -1;
    const lines = [...this.#spans].map(([hash, { offset, length }]) => `${hash} ${offset} ${length}\n`);
    const temp = `${this.#base}.tmp`;
    const fd = this.#disk.openSync(temp, "wx", 0o600);
    try {
      writeAll(this.#disk, fd, Buffer.from(lines.join("")));
    } finally {
      this.#disk.closeSync(fd);
    }
    this.#disk.renameSync(temp, `${this.#base}.idx`);
    this.#done(this.#spans);
    return [`${this.#base}.pack`, `${this.#base}.idx`];
  }

  /** Gives up what was added; for errors only. */
  abandon(): void {
    if (this.#fd >= 0) this.#disk.closeSync(this.#fd);
    this.#fd = -1;
    for (const end of [".pack", ".tmp"]) this.#disk.rmSync(this.#base + end, { force: true });
  }

  #write(): void {
    if (this.#fd < 0) {
      this.#disk.mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
      this.#fd = this.#disk.openSync(`${this.#base}.pack`, "wx", 0o600);
    }
    writeAll(this.#disk, this.#fd, Buffer.concat(this.#held));
    this.#held = [];
    this.#heldBytes = 0;
  }
}

function names(disk: Fs, directory: string): string[] {
  try {
    return disk.readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
