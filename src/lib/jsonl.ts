// JSONL with a chained checksum: one writer that appends whole lines, each with one write(2) (O_APPEND).
// Line: {…,"h":"<16 hex>"}\n in ASCII, where h = first 16 hex of sha256(h of the line before + the line up to `,"h"`).
// Invariants: what `append` returned for is in the kernel (survives kill -9); a failed append leaves the file as it was;
// after a failed sync nothing is appended any more, because the kernel may have dropped what it could not write.
// Knows nothing of what the lines mean. Reading is in jsonl-scan.ts.

import { hash } from "node:crypto";
import { constants } from "node:fs";
import { dirname } from "node:path";
import { codeOf, messageOf } from "../core/errors.js";
import { type Fs, syncFile } from "./fs.js";
import { JsonlScan, lineLimit, type ScannedLine } from "./jsonl-scan.js";

/** `full`: no space; `changed`: deleted, replaced, cut or written by others; `sync`: not kept; `io`: any other failure. */
export type JsonlFault = "full" | "changed" | "sync" | "io";

export class JsonlError extends Error {
  override name = "JsonlError";
  readonly kind: JsonlFault;

  constructor(kind: JsonlFault, text: string, cause?: unknown) {
    super(text, cause === undefined ? undefined : { cause });
    this.kind = kind;
  }
}

/** The checksum of a line. `body` is the line up to and excluding `,"h"`; `previous` is "" for the first line. */
export function chainHash(previous: string, body: string): string {
  return hash("sha256", previous + body, "hex").slice(0, 16);
}

/** A JSON object, given as text, as a line with its checksum. */
export function sealed(previous: string, object: string): { line: string; h: string } {
  const body = object.slice(0, -1);
  const h = chainHash(previous, body);
  return { line: `${body},"h":"${h}"}\n`, h };
}

/** Where a line is in its file, in bytes; `length` includes the line end. */
export interface Span {
  offset: number;
  length: number;
}

export class JsonlWriter {
  readonly file: string;
  readonly #disk: Fs;
  readonly #fd: number;
  #size = 0;
  #previous = "";
  /** Set for good when nothing may be appended any more; says why. */
  #refusal: JsonlError | null = null;
  #closed = false;
  #written = 0;
  #synced = 0;
  #syncing: Promise<void> = Promise.resolve();
  /** Directories whose entry for this file is not durable yet. */
  #directories: string[];

  private constructor(disk: Fs, file: string, flags: number) {
    this.#disk = disk;
    this.file = file;
    this.#fd = disk.openSync(file, flags | constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW, 0o600);
    this.#directories = flags & constants.O_CREAT ? [dirname(file), dirname(dirname(file))] : [];
  }

  /** A new, empty file (0600); throws EEXIST when there is one. */
  static create(disk: Fs, file: string): JsonlWriter {
    return new JsonlWriter(disk, file, constants.O_CREAT | constants.O_EXCL);
  }

  /** Opens, and reads every line once through `visit`. A tail without line end must be moved away before appending. */
  static open(disk: Fs, file: string, visit: (line: ScannedLine) => void): { writer: JsonlWriter; scan: JsonlScan } {
    const writer = new JsonlWriter(disk, file, 0);
    try {
      const scan = new JsonlScan(disk, writer.#fd);
      for (const line of scan) visit(line);
      writer.#size = scan.end;
      writer.#previous = scan.previous;
      if (scan.tail) writer.#refusal = new JsonlError("io", `${file} ends in the middle of a line`);
      return { writer, scan };
    } catch (error) {
      writer.close();
      throw error;
    }
  }

  get fd(): number {
    return this.#fd;
  }

  /**
   * Appends JSON objects, given as text, with one write(2), and says where they are.
   * @throws JsonlError; the file is then as before, and after `full` a later append may succeed.
   */
  append(objects: readonly string[]): Span[] {
    if (this.#refusal) throw this.#refusal;
    const spans: Span[] = [];
    let text = "";
    let previous = this.#previous;
    for (const object of objects) {
      const { line, h } = sealed(previous, object);
      previous = h;
      if (line.length > lineLimit) throw new JsonlError("io", `a line of ${line.length} bytes is too long`);
      spans.push({ offset: this.#size + text.length, length: line.length });
      text += line;
    }
    this.#write(text);
    this.#size += text.length;
    this.#previous = previous;
    this.#written++;
    return spans;
  }

  #write(text: string): void {
    let written: number;
    try {
      written = this.#disk.writeSync(this.#fd, text, null, "latin1");
    } catch (error) {
      this.#takeBack();
      throw new JsonlError(isFull(error) ? "full" : "io", messageOf(error), error);
    }
    if (written === text.length) return;
    this.#takeBack();
    throw new JsonlError("full", `only ${written} of ${text.length} bytes were written`);
  }

  /** A half line must not stay: the next one would be glued to it. */
  #takeBack(): void {
    try {
      if (this.#disk.fstatSync(this.#fd).size > this.#size) this.#disk.ftruncateSync(this.#fd, this.#size);
    } catch (error) {
      this.#refusal = new JsonlError("io", `a half-written line could not be taken back: ${messageOf(error)}`, error);
    }
  }

  /** Moves everything after the last line end into the new file `aside` (0600, synced), then cuts it off here. */
  cutTail(aside: string): void {
    const { O_CREAT, O_EXCL, O_WRONLY } = constants;
    const to = this.#disk.openSync(aside, O_CREAT | O_EXCL | O_WRONLY, 0o600);
    try {
      const chunk = Buffer.allocUnsafe(64 * 1024);
      for (let at = this.#size; ; ) {
        const read = this.#disk.readSync(this.#fd, chunk, 0, chunk.length, at);
        if (read === 0) break;
        for (let done = 0; done < read; ) done += this.#disk.writeSync(to, chunk, done, read - done);
        at += read;
      }
      this.#disk.fsyncSync(to);
    } catch (error) {
      this.#disk.rmSync(aside, { force: true });
      throw error;
    } finally {
      this.#disk.closeSync(to);
    }
    this.#disk.ftruncateSync(this.#fd, this.#size);
    this.#written++;
    this.#refusal = null;
  }

  /**
   * The barrier: resolves when everything appended so far would survive a power loss; nothing to do = no system call.
   * @throws JsonlError `changed` when the file is not the one that was opened, `sync` when the disk fails; both for good.
   */
  sync(): Promise<void> {
    if (this.#written === this.#synced) return this.#syncing;
    // One after the other: two barriers in flight must not report each other's half-done work.
    this.#syncing = this.#syncing.then(() => this.#syncOnce());
    // The caller gets the rejection; this branch only keeps an unawaited chain from ending the process.
    this.#syncing.catch(() => {});
    return this.#syncing;
  }

  async #syncOnce(): Promise<void> {
    if (this.#refusal) throw this.#refusal;
    const upTo = this.#written;
    if (upTo === this.#synced) return;
    try {
      this.#mustBeSameFile();
      await syncFile(this.#disk, this.#fd);
      for (const directory of this.#directories) await this.#syncDirectory(directory);
    } catch (error) {
      this.#refusal =
        error instanceof JsonlError
          ? error
          : new JsonlError("sync", `the disk did not keep what was written: ${messageOf(error)}`, error);
      throw this.#refusal;
    }
    this.#directories = [];
    this.#synced = upTo;
  }

  async #syncDirectory(directory: string): Promise<void> {
    const fd = this.#disk.openSync(directory, constants.O_RDONLY);
    try {
      await syncFile(this.#disk, fd);
    } catch (error) {
      // Some file systems cannot sync a directory and need not; a failing disk says EIO instead.
      if (codeOf(error) !== "EINVAL" && codeOf(error) !== "ENOTSUP") throw error;
    } finally {
      this.#disk.closeSync(fd);
    }
  }

  #mustBeSameFile(): void {
    const what = this.#whatChanged();
    if (what) throw new JsonlError("changed", `${this.file} was ${what} while it was in use`);
  }

  #whatChanged(): string | null {
    const mine = this.#disk.fstatSync(this.#fd);
    const there = this.#disk.lstatSync(this.file, { throwIfNoEntry: false });
    if (!there) return "deleted or moved away";
    if (there.ino !== mine.ino || there.dev !== mine.dev) return "replaced by another file";
    if (mine.size < this.#size) return "cut";
    if (mine.size > this.#size) return "written to by another program";
    return null;
  }

  /** Resolves when no sync is under way. */
  async settled(): Promise<void> {
    await this.#syncing.catch(() => {});
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#refusal = new JsonlError("io", `${this.file} is closed`);
    this.#disk.closeSync(this.#fd);
  }
}

function isFull(error: unknown): boolean {
  const code = codeOf(error);
  return code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG";
}
