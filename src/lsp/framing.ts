// The framing of the Language Server Protocol: `Content-Length: n`, an empty line, n bytes of JSON.
// Invariant: memory is bounded by one message of `largest` bytes and a header of `longestHeader`; what is not a frame is a
// fault, after which nothing more is read. Deliberately strict: after one wrong length every later byte would be guessed at.

import { parseJson } from "../lib/json.js";

const largest = 256 * 1024 * 1024;
const longestHeader = 4_096;
const headerEnd = Buffer.from("\r\n\r\n");

export function frame(message: object): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}

export interface FrameSink {
  message(message: unknown): void;
  /** What arrived is no frame; called once. */
  fault(why: string): void;
}

export class FrameReader {
  readonly #sink: FrameSink;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Length of the body that is awaited; null = a header is. */
  #wanted: number | null = null;
  #broken = false;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  push(chunk: Buffer): void {
    if (this.#broken) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    while (!this.#broken && (this.#wanted === null ? this.#header() : this.#body(this.#wanted)));
  }

  #header(): boolean {
    const all = this.#joined();
    const end = all.indexOf(headerEnd);
    if (end < 0) {
      if (all.length > longestHeader) this.#fault("a header without an end");
      return false;
    }
    const header = all.toString("latin1", 0, end);
    const length = /(?:^|\r\n)content-length: *(\d+) *(?:\r\n|$)/i.exec(header)?.[1];
    if (length === undefined) {
      this.#fault(`no Content-Length in ${JSON.stringify(header.slice(0, 80))}`);
      return false;
    }
    if (Number(length) > largest) {
      this.#fault(`a message of ${length.slice(0, 40)} bytes`);
      return false;
    }
    this.#wanted = Number(length);
    this.#rest(all, end + headerEnd.length);
    return true;
  }

  #body(length: number): boolean {
    if (this.#bytes < length) return false;
    const all = this.#joined();
    const text = all.toString("utf8", 0, length);
    this.#wanted = null;
    this.#rest(all, length);
    const message = parseJson(text);
    if (message === undefined) {
      this.#fault(`a message that is no JSON, or nested too deeply: ${JSON.stringify(text.slice(0, 80))}`);
      return false;
    }
    this.#sink.message(message);
    return true;
  }

  /** Joined only when a header is looked for or a body is complete, so that a long body costs one copy. */
  #joined(): Buffer {
    const all = this.#chunks.length === 1 ? (this.#chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }

  #rest(all: Buffer, from: number): void {
    const left = all.subarray(from);
    this.#chunks = left.length > 0 ? [left] : [];
    this.#bytes = left.length;
  }

  #fault(why: string): void {
    this.#broken = true;
    this.#chunks = [];
    this.#sink.fault(why);
  }
}
