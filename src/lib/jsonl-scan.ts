// Reading a JSONL file with chained checksums (jsonl.ts) in bounded memory, from the first byte to the last.
// Invariant: every byte belongs to exactly one yielded line or to the tail; damage is named and never ends the scan.
// After a bad line the chain is picked up again from what that line said of itself, from what it should have said,
// or from the last good line; so one flipped byte costs one line, or two when it was the line end between them.

import { hash } from "node:crypto";
import type { Fs } from "./fs.js";

export interface ScannedLine {
  /** From 0; bad lines count. */
  line: number;
  offset: number;
  /** Bytes, with the line end. */
  length: number;
  /** The line without its end; "" when it was too long to hold. Bytes beyond ASCII, always damage, are latin1 here. */
  text: string;
  /** Why the line is not to be trusted, or null. */
  fault: string | null;
}

/** What follows the last line end: a line whose writing was interrupted, or a block of NULs that a crash left. */
export interface Tail {
  kind: "torn" | "nul";
  offset: number;
  length: number;
}

/** Longest line that is written or held, in bytes. */
export const lineLimit = 64 * 1024 * 1024;
const chunkBytes = 256 * 1024;
/** `,"h":"` + 16 hex + `"}` */
const sealLength = 24;
const seal = /^,"h":"([0-9a-f]{16})"\}$/;

export class JsonlScan implements Iterable<ScannedLine> {
  /** Lines seen. */
  lines = 0;
  /** Offset after the last line end. */
  end = 0;
  tail: Tail | null = null;
  readonly #disk: Fs;
  readonly #fd: number;
  /** Checksums that the next line may be chained to; the first is that of the last good line. */
  #candidates: string[] = [""];

  constructor(disk: Fs, fd: number) {
    this.#disk = disk;
    this.#fd = fd;
  }

  /** The checksum that the next line has to be chained to: that of the last good line. */
  get previous(): string {
    return this.#candidates[0] ?? "";
  }

  /** Once only. `end`, `tail` and `previous` are complete when the iteration is. */
  *[Symbol.iterator](): Generator<ScannedLine> {
    let buffer: Buffer = Buffer.allocUnsafe(chunkBytes);
    let filled = 0;
    let searched = 0;
    /** Bytes of the current line that were let go because it is too long. */
    let dropped = 0;
    let lastByte = -1;
    for (;;) {
      if (filled === buffer.length) {
        if (filled < lineLimit) buffer = grown(buffer);
        else {
          dropped += filled;
          filled = 0;
          searched = 0;
        }
      }
      const read = this.#disk.readSync(this.#fd, buffer, filled, buffer.length - filled, this.end + dropped + filled);
      if (read === 0) break;
      filled += read;
      lastByte = buffer[filled - 1] ?? -1;
      const view = buffer.subarray(0, filled);
      let from = 0;
      for (let at = view.indexOf(10, searched); at !== -1; at = view.indexOf(10, from)) {
        yield dropped > 0 ? this.#overlong(dropped + at + 1) : this.#judge(view.toString("latin1", from, at));
        dropped = 0;
        from = at + 1;
      }
      buffer.copyWithin(0, from, filled);
      filled -= from;
      searched = filled;
    }
    const length = dropped + filled;
    if (length > 0) this.tail = { kind: lastByte === 0 ? "nul" : "torn", offset: this.end, length };
  }

  #judge(text: string): ScannedLine {
    const stored = seal.exec(text.slice(-sealLength))?.[1];
    const body = text.slice(0, -sealLength);
    const computed = this.#candidates.map((previous) => hash("sha256", previous + body, "hex").slice(0, 16));
    if (stored !== undefined && computed.includes(stored)) {
      this.#candidates = [stored];
      return this.#take(text, text.length + 1, null);
    }
    // The last good one stays first; eight are enough for the damage of a few neighbouring lines.
    const possible = [this.previous, ...(stored === undefined ? [] : [stored]), ...computed];
    this.#candidates = [...new Set(possible)].slice(0, 8);
    return this.#take(text, text.length + 1, faultOf(text, stored !== undefined));
  }

  #overlong(length: number): ScannedLine {
    return this.#take("", length, `is longer than ${lineLimit} bytes`);
  }

  #take(text: string, length: number, fault: string | null): ScannedLine {
    const line = { line: this.lines, offset: this.end, length, text, fault };
    this.lines++;
    this.end += length;
    return line;
  }
}

function faultOf(text: string, sealed: boolean): string {
  if (text.includes("\0")) return "holds NUL bytes";
  return sealed ? "does not match its checksum, or lines before it are missing" : "has no checksum";
}

function grown(buffer: Buffer): Buffer {
  const bigger = Buffer.allocUnsafe(Math.min(buffer.length * 2, lineLimit));
  buffer.copy(bigger);
  return bigger;
}

/** Reads the given lines, which must be in ascending order of offset, with few system calls. */
export function* readLines(
  disk: Fs,
  fd: number,
  spans: Iterable<{ offset: number; length: number }>,
): Generator<string> {
  let window = Buffer.allocUnsafe(0);
  let start = 0;
  for (const { offset, length } of spans) {
    if (offset < start || offset + length > start + window.length) {
      window = Buffer.allocUnsafe(Math.max(chunkBytes, length));
      start = offset;
      let filled = 0;
      while (filled < window.length) {
        const read = disk.readSync(fd, window, filled, window.length - filled, start + filled);
        if (read === 0) break;
        filled += read;
      }
      window = window.subarray(0, filled);
    }
    yield window.toString("latin1", offset - start, offset - start + length - 1);
  }
}
