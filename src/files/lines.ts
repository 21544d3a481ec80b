// A range of lines of a file, in bounded memory whatever the size of the file or of its lines.
// Invariant: at most one chunk, the wanted lines (each cut at `lineChars`) and the hash are held. A file beyond
// `hashBytes` is read only as far as the range goes; then `more` is set, `hash` is empty and such a file is not "seen".
// UTF-16 is decoded as a whole, so beyond `wholeBytes` it is refused.

import { createHash } from "node:crypto";
import { StringDecoder } from "node:string_decoder";
import { Refusal } from "../core/errors.js";
import type { FileText, ReadRange } from "../core/ports.js";
import type { Fs } from "../lib/fs.js";
import { sha256 } from "../lib/hash.js";
import { readBytes } from "./bytes.js";
import type { Span } from "./spans.js";
import { binaryWindow, decode, eolOf, linesOf, markOf } from "./text.js";

export interface ReadLimits {
  /** Up to here a file is held as a whole. */
  wholeBytes: number;
  /** Up to here a file is hashed (and can be edited). */
  hashBytes: number;
  /** Characters of a line. */
  lineChars: number;
}

/** The part of FileText that comes from the content; `text` when the whole file was held. */
export type Lines = Omit<FileText, "path" | "shown"> & { text?: string };

export async function readLines(
  disk: Fs,
  file: { fd: number; size: number; shown: string },
  range: ReadRange,
  limits: ReadLimits,
): Promise<Lines> {
  const first = Math.max(1, range.offset ?? 1);
  const wanted = { first, end: first + Math.max(0, range.limit ?? Number.POSITIVE_INFINITY) };
  const read = file.size <= limits.wholeBytes ? whole : streamed;
  const found = await read(disk, file, wanted, limits);
  return { ...found, lines: fitting(found.lines, range.maxChars) };
}

/** As many lines as fit, each with its number; at least one. */
function fitting(lines: string[], maxChars = Number.POSITIVE_INFINITY): string[] {
  let chars = 0;
  const beyond = lines.findIndex((line, i) => {
    chars += line.length + 8;
    return chars > maxChars && i > 0;
  });
  return beyond < 0 ? lines : lines.slice(0, beyond);
}

/** The lines that were read, when not all of the file. */
export function partOf({ first, lines, totalLines, more }: Omit<FileText, "path" | "shown">): Span | undefined {
  if (first === 1 && lines.length === totalLines && !more) return undefined;
  return [first, first + lines.length - 1];
}

interface Wanted {
  first: number;
  /** Line behind the last wanted one. */
  end: number;
}

export function binaryRefusal(shown: string, bytes: number, now: string): Refusal {
  return new Refusal("binary", `${shown} is not text (${bytes} bytes; neither UTF-8 nor marked UTF-16). ${now}`, [
    "run",
  ]);
}

function whole(disk: Fs, file: { fd: number; size: number; shown: string }, wanted: Wanted, limits: ReadLimits): Lines {
  const bytes = readBytes(disk, file.fd, file.size);
  const decoded = decode(bytes);
  if (!decoded) throw binaryRefusal(file.shown, bytes.length, "Nothing is shown.");
  const all = linesOf(decoded.text);
  const range = all.slice(wanted.first - 1, wanted.end - 1);
  let cutLines = 0;
  const lines = range.map((line) => {
    if (line.length <= limits.lineChars) return line;
    cutLines++;
    return cutMark(line.slice(0, limits.lineChars), Buffer.byteLength(line));
  });
  return {
    lines,
    first: wanted.first,
    totalLines: all.length,
    bytes: bytes.length,
    hash: sha256(bytes),
    encoding: decoded.encoding,
    eol: eolOf(decoded.text),
    cutLines,
    text: decoded.text,
  };
}

function cutMark(kept: string, bytes: number): string {
  return `${kept}… [line of ${bytes} bytes, cut]`;
}

const chunkBytes = 256 * 1024;
const yieldEvery = 16;

async function streamed(
  disk: Fs,
  file: { fd: number; size: number; shown: string },
  wanted: Wanted,
  limits: ReadLimits,
): Promise<Lines> {
  const hash = file.size <= limits.hashBytes ? createHash("sha256") : null;
  const buffer = Buffer.allocUnsafe(chunkBytes);
  const scan = new LineScan(wanted, limits.lineChars);
  let bytes = 0;
  let encoding: FileText["encoding"] = "utf-8";
  let ended = false;
  for (let turn = 1; ; turn++) {
    const got = disk.readSync(file.fd, buffer, 0, chunkBytes, null);
    if (got === 0) {
      ended = true;
      break;
    }
    const chunk = buffer.subarray(0, got);
    let start = 0;
    if (bytes === 0) {
      encoding = markOf(chunk);
      if (encoding.startsWith("utf-16")) throw new Refusal("size", tooLarge(file.shown, file.size), ["run"]);
      if (chunk.subarray(0, binaryWindow).includes(0)) throw binaryRefusal(file.shown, file.size, "Nothing is shown.");
      if (encoding === "utf-8-bom") start = 3;
    }
    bytes += got;
    hash?.update(chunk);
    scan.push(chunk.subarray(start));
    if (!hash && scan.line >= wanted.end) break;
    // The event loop must be able to turn while a large file is read.
    if (turn % yieldEvery === 0) await new Promise<void>((resolve) => setImmediate(resolve));
  }
  if (ended) scan.finish();
  return {
    lines: scan.lines,
    first: wanted.first,
    totalLines: scan.total,
    bytes: ended ? bytes : file.size,
    hash: hash && ended ? hash.digest("hex") : "",
    encoding,
    eol: scan.crlf === 0 ? "lf" : scan.crlf === scan.ends ? "crlf" : "mixed",
    cutLines: scan.cutLines,
    ...(ended ? {} : { more: true }),
  };
}

/** Counts lines and keeps the wanted ones, chunk by chunk. */
class LineScan {
  readonly lines: string[] = [];
  cutLines = 0;
  ends = 0;
  crlf = 0;
  /** 1-based number of the line the scan is in. */
  line = 1;
  readonly #wanted: Wanted;
  readonly #max: number;
  #decoder = new StringDecoder("utf8");
  #kept = "";
  #lineBytes = 0;
  #before = 0;

  constructor(wanted: Wanted, max: number) {
    this.#wanted = wanted;
    this.#max = max;
  }

  get total(): number {
    return this.line - 1;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      this.ends++;
      const last = at > from ? chunk[at - 1] : from === at ? this.#before : 0;
      const cr = last === 13;
      if (cr) this.crlf++;
      this.#take(chunk.subarray(from, at));
      this.#close(cr);
      from = at + 1;
      this.#before = 0;
    }
    this.#take(chunk.subarray(from));
    if (from < chunk.length) this.#before = chunk[chunk.length - 1] ?? 0;
  }

  finish(): void {
    if (this.#lineBytes > 0) this.#close(false);
  }

  #take(part: Buffer): void {
    this.#lineBytes += part.length;
    if (this.line < this.#wanted.first || this.line >= this.#wanted.end || this.#kept.length > this.#max) return;
    // Four bytes are the most one character takes.
    this.#kept += this.#decoder.write(part.subarray(0, (this.#max + 2) * 4));
  }

  #close(cr: boolean): void {
    if (this.line >= this.#wanted.first && this.line < this.#wanted.end) {
      const long = this.#kept.length > this.#max + (cr ? 1 : 0);
      if (long) this.cutLines++;
      const text = cr && !long ? this.#kept.replace(/\r$/, "") : this.#kept;
      this.lines.push(long ? cutMark(text.slice(0, this.#max), this.#lineBytes) : text);
    }
    this.#decoder = new StringDecoder("utf8");
    this.#kept = "";
    this.#lineBytes = 0;
    this.line++;
  }
}

export function tooLarge(shown: string, bytes: number): string {
  return `${shown} has ${bytes} bytes, too many for the file tools. Nothing was changed.`;
}
