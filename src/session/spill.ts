// Long strings of entries in files of their own, named by the sha256 of their bytes.
// Invariants: a spill file is complete and synced before the line that refers to it is written; what is put back is
// checked against its name; data that merely looks like a reference is told apart (the `~` rule in FORMAT.md).
// Never deletes: a spill may be shared by sessions.

import { join } from "node:path";
import { codeOf } from "../core/errors.js";
import { isImage } from "../core/image.js";
import type { Fs } from "../lib/fs.js";
import { sha256 } from "../lib/hash.js";
import { asciiJson } from "../lib/json.js";

/** Strings longer than this, in bytes of UTF-8, leave the line. */
const spillLimit = 64 * 1024;
const shownChars = 200;

/** Found in the JSON text of any object with a key that ends in `spill`; text inside strings has its quote escaped. */
const mark = 'spill":';
const reference = /^sha256:([0-9a-f]{64})$/;
const markKey = /^~*spill$/;

/** The data as ASCII JSON with all its strings in place, for a file that has to stand alone. */
export function inlineJson(data: unknown): string {
  const text = asciiJson(data);
  return text.includes(mark) ? asciiJson(withMarksEscaped(data)) : text;
}

function withMarksEscaped(value: unknown): unknown {
  return mapped(value, withMarksEscaped, (key) => (markKey.test(key) ? `~${key}` : key));
}

export class Spill {
  readonly #disk: Fs;
  readonly #dir: string;

  constructor(disk: Fs, dir: string) {
    this.#disk = disk;
    this.#dir = dir;
  }

  /** The data as ASCII JSON, its long strings written to files. */
  encode(data: unknown): string {
    const text = asciiJson(data);
    // Escaped text is never shorter than its bytes, so most entries need no second look.
    if (text.length <= spillLimit && !text.includes(mark)) return text;
    return asciiJson(this.#shrink(data));
  }

  #shrink(value: unknown): unknown {
    if (typeof value === "string") return value.length * 3 > spillLimit ? this.#put(value) : value;
    // An entry with many small images would be a line of any length.
    if (isImage(value)) return { ...value, data: this.#put(value.data, 0) };
    return mapped(
      value,
      (item) => this.#shrink(item),
      (key) => (markKey.test(key) ? `~${key}` : key),
    );
  }

  #put(value: string, limit = spillLimit): unknown {
    const utf8 = Buffer.from(value, "utf8");
    if (utf8.length <= limit) return value;
    // A lone surrogate has no UTF-8; such a string keeps its units as they are.
    const exact = utf8.toString("utf8") === value;
    const bytes = exact ? utf8 : Buffer.from(value, "utf16le");
    const name = sha256(bytes);
    this.#write(name, bytes);
    const short = { spill: `sha256:${name}`, bytes: bytes.length, head: value.slice(0, shownChars) };
    return exact ? short : { ...short, enc: "utf-16le" };
  }

  #write(name: string, bytes: Buffer): void {
    const path = join(this.#dir, name);
    const there = this.#disk.lstatSync(path, { throwIfNoEntry: false });
    if (there?.isFile() && there.size === bytes.length) return;
    this.#disk.mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    const draft = `${path}.${process.pid}.part`;
    try {
      this.#writeSynced(draft, bytes);
      this.#disk.renameSync(draft, path);
    } catch (error) {
      this.#disk.rmSync(draft, { force: true });
      throw error;
    }
    this.#syncDirectory();
  }

  #writeSynced(path: string, bytes: Buffer): void {
    this.#disk.rmSync(path, { force: true });
    const fd = this.#disk.openSync(path, "wx", 0o600);
    try {
      for (let done = 0; done < bytes.length; ) done += this.#disk.writeSync(fd, bytes, done, bytes.length - done);
      this.#disk.fsyncSync(fd);
    } finally {
      this.#disk.closeSync(fd);
    }
  }

  #syncDirectory(): void {
    const fd = this.#disk.openSync(this.#dir, "r");
    try {
      this.#disk.fsyncSync(fd);
    } catch (error) {
      // Not every file system can sync a directory; a failing disk says EIO.
      if (codeOf(error) !== "EINVAL" && codeOf(error) !== "ENOTSUP") throw error;
    } finally {
      this.#disk.closeSync(fd);
    }
  }

  /**
   * The data with its long strings put back.
   * @param line the JSON text the data was parsed from
   * @param onLost told when a spill file is gone or changed; its string is then the start of the text and a note
   */
  decode(data: unknown, line: string, onLost: (problem: string) => void): unknown {
    return line.includes(mark) ? this.#grow(data, onLost) : data;
  }

  #grow(value: unknown, onLost: (problem: string) => void): unknown {
    if (isReference(value)) return this.#get(value, onLost);
    return mapped(
      value,
      (item) => this.#grow(item, onLost),
      (key) => (markKey.test(key) ? key.slice(1) : key),
    );
  }

  #get(ref: Reference, onLost: (problem: string) => void): string {
    const name = reference.exec(ref.spill)?.[1] ?? "";
    const bytes = this.#read(name);
    if (bytes && sha256(bytes) === name) return bytes.toString(ref.enc === "utf-16le" ? "utf16le" : "utf8");
    const what = bytes ? "has been changed" : "is missing";
    onLost(`the long text in ${join(this.#dir, name)} (${ref.bytes} bytes) ${what}`);
    return `${ref.head}\n[the rest of this text is lost: its file ${what}]`;
  }

  #read(name: string): Buffer | null {
    try {
      return this.#disk.readFileSync(join(this.#dir, name));
    } catch (error) {
      if (codeOf(error) === "ENOENT") return null;
      throw error;
    }
  }
}

interface Reference {
  spill: string;
  bytes: number;
  head: string;
  enc?: string;
}

function isReference(value: unknown): value is Reference {
  return typeof value === "object" && value !== null && "spill" in value && reference.test(String(value.spill));
}

/** A copy with every member mapped. `fromEntries` defines properties, so a key `__proto__` stays a key. */
function mapped(value: unknown, item: (value: unknown) => unknown, key: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map(item);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [key(name), item(member)]));
}
