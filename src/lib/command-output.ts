// What a command printed: head and tail in memory, all of it on disk once it is too long, live lines to the screen.
// Invariants: what it keeps has been redacted before, across chunks as well; a disk that fails costs the copy on disk, not the command; the note in the output then says so.

import { randomBytes } from "node:crypto";
import { StringDecoder } from "node:string_decoder";
import type { Pieces } from "../core/redactor.js";
import { writeAll } from "./atomic-file.js";
import type { Fs } from "./fs.js";
import { HeadTail, type HeadTailLimits } from "./truncate.js";

export interface CommandOutputOptions extends HeadTailLimits {
  /** Bytes written to disk at most. */
  spill: number;
  /** Where the copy goes; made when needed, 0700, the file 0600. */
  spillDir: string;
  disk: Fs;
  onLine: ((line: string) => void) | undefined;
  /** Takes secrets out of what is kept and shown. */
  redacting: Pieces<Buffer> | undefined;
  /** stdout and stderr are kept each by itself as well, as short as the whole; what takes secrets out of either. */
  streams: readonly Pieces<Buffer>[] | undefined;
}

/** One of the two outputs of a command by itself. */
class Stream {
  readonly #kept: HeadTail;
  readonly #redacting: Pieces<Buffer>;

  constructor(limits: HeadTailLimits, redacting: Pieces<Buffer>) {
    this.#kept = new HeadTail(limits);
    this.#redacting = redacting;
  }

  push(chunk: Buffer): void {
    this.#kept.push(this.#redacting.push(chunk));
  }

  end(): string {
    this.#kept.push(this.#redacting.end());
    return this.#kept.render((_, bytes) => `[… ${bytes} bytes left out here]`);
  }
}

export class CommandOutput {
  spill: string | null = null;
  readonly #options: CommandOutputOptions;
  readonly #kept: HeadTail;
  readonly #streams: readonly Stream[];
  readonly #decoder = new StringDecoder("utf8");
  /** Everything so far, while it is short enough to be returned whole. */
  #early: Buffer[] | null = [];
  #fd = -1;
  #spilled = 0;
  #line = "";
  #fault: string | null = null;

  constructor(options: CommandOutputOptions) {
    this.#options = options;
    this.#kept = new HeadTail(options);
    this.#streams = (options.streams ?? []).map((redacting) => new Stream(options, redacting));
  }

  get bytes(): number {
    return this.#kept.bytes;
  }

  get lines(): number {
    return this.#kept.lines;
  }

  /** `from`: 0 = stdout, 1 = stderr. */
  push(chunk: Buffer, from: number): void {
    const { redacting } = this.#options;
    this.#streams[from]?.push(chunk);
    this.#take(redacting ? redacting.push(chunk) : chunk);
  }

  /** Nothing more comes. The outputs by themselves, if they were asked for. */
  end(): { streams?: { stdout: string; stderr: string } } {
    const { redacting } = this.#options;
    if (redacting) this.#take(redacting.end());
    const [stdout, stderr] = this.#streams.map((stream) => stream.end());
    return stdout === undefined || stderr === undefined ? {} : { streams: { stdout, stderr } };
  }

  #take(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#kept.push(chunk);
    if (this.#early) this.#early.push(chunk);
    else this.#write(chunk);
    if (this.#early && this.#kept.cut) {
      const early = this.#early;
      this.#early = null;
      for (const part of early) this.#write(part);
    }
    if (this.#options.onLine) this.#live(chunk, this.#options.onLine);
  }

  render(): string {
    return this.#kept.render((lines, bytes) => {
      const what = lines > 0 ? `${lines} lines (${bytes} bytes)` : `${bytes} bytes`;
      const short = this.#spilled < this.#kept.bytes ? `first ${this.#spilled} bytes` : "whole output";
      const where = this.#fault ?? (this.spill === null ? "not kept" : `${short} in ${this.spill}`);
      return `[… ${what} left out here; ${where}]`;
    });
  }

  close(): void {
    if (this.#fd >= 0) this.#options.disk.closeSync(this.#fd);
    this.#fd = -1;
  }

  #write(chunk: Buffer): void {
    const room = this.#options.spill - this.#spilled;
    if (room <= 0 || this.#fault !== null) return;
    const part = chunk.subarray(0, room);
    try {
      if (this.#fd < 0) this.#open();
      writeAll(this.#options.disk, this.#fd, part);
      this.#spilled += part.length;
    } catch (error) {
      this.#fault = `it could not be kept: ${(error as NodeJS.ErrnoException).code ?? String(error)}`;
    }
  }

  #open(): void {
    const { disk, spillDir } = this.#options;
    disk.mkdirSync(spillDir, { recursive: true, mode: 0o700 });
    const path = `${spillDir}/${randomBytes(6).toString("hex")}.out`;
    this.#fd = disk.openSync(path, "wx", 0o600);
    this.spill = path;
  }

  /** A flood is not shown line by line: of each chunk the last twenty lines. */
  #live(chunk: Buffer, onLine: (line: string) => void): void {
    const parts = (this.#line + this.#decoder.write(chunk)).split("\n");
    this.#line = (parts.pop() ?? "").slice(0, 2_000);
    for (const part of parts.slice(-20)) onLine(part.slice(0, 2_000).replace(/\r$/, ""));
  }
}
