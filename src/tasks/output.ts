// What a command in the background has printed so far: ranges of its log by byte, and the log without secrets in the end.
// Invariants: an offset means the same byte before and after the log is scrubbed, since what takes a secret's place has its
// length; no range shows a part of a known secret, wherever it is cut; memory is bounded whatever the log holds.

import { codeOf, UserError } from "../core/errors.js";
import type { Redactor } from "../core/redactor.js";
import type { OutputRange, TaskOutput } from "../core/task.js";
import { writeAll } from "../lib/atomic-file.js";
import { diskFlags, type Fs } from "../lib/fs.js";

/** Of the end of the log, in the record of a command that has ended. */
export const tailBytes = 2_000;
/** A secret that a range cuts is recognised by what stands around it. Bytes. */
const margin = 16 * 1024;
const chunkBytes = 64 * 1024;

/** A range of the log, as text. A log that is not there (yet) is empty. */
export function readOutput(disk: Fs, path: string, range: OutputRange, redactor: Redactor): TaskOutput {
  return withLog(disk, path, diskFlags.O_RDONLY, (fd) => readRange(disk, fd, range, redactor)) ?? nothing;
}

const nothing: TaskOutput = { text: "", from: 0, next: 0, bytes: 0, dropped: 0 };

function readRange(disk: Fs, fd: number, { offset, maxBytes }: OutputRange, redactor: Redactor): TaskOutput {
  const bytes = disk.fstatSync(fd).size;
  const asked = offset === undefined ? bytes - maxBytes : offset < 0 ? bytes + offset : offset;
  const begin = Math.min(bytes, Math.max(0, asked));
  const end = Math.min(bytes, begin + maxBytes);
  const first = Math.max(0, begin - margin);
  const around = readAt(disk, fd, first, Math.min(bytes, end + margin) - first);
  const masks = redactor.masks();
  const masked = Buffer.concat([masks.push(around), masks.end()]);
  const [from, next] = [whole(masked, begin - first), wholeEnd(masked, begin - first, end - first)];
  const text = redactor.all(masked.subarray(from, next).toString("utf8"));
  return { text, from: first + from, next: first + next, bytes, dropped: 0 };
}

/** Behind the rest of a character that begins before. */
function whole(bytes: Buffer, at: number): number {
  let from = at;
  while (from < bytes.length && from - at < 3 && isContinuation(bytes[from])) from++;
  return from;
}

/** Before a character that is not all there: it is read with what follows. */
function wholeEnd(bytes: Buffer, begin: number, at: number): number {
  for (let end = at; end > begin && at - end < 4; end--) {
    const byte = bytes[end - 1] ?? 0;
    if (isContinuation(byte)) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return end - 1 + length > at ? end - 1 : at;
  }
  return at;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Takes known secrets out of a finished log, in place. */
export function scrubOutput(disk: Fs, path: string, redactor: Redactor): void {
  withLog(disk, path, diskFlags.O_RDWR, (fd) => {
    const masks = redactor.masks();
    let pending = Buffer.alloc(0);
    let done = 0;
    let read = 0;
    const settle = (clean: Buffer) => {
      if (!clean.equals(pending.subarray(0, clean.length))) writeAt(disk, fd, clean, done);
      done += clean.length;
      pending = pending.subarray(clean.length);
    };
    for (;;) {
      const chunk = readAt(disk, fd, read, chunkBytes);
      if (chunk.length === 0) break;
      read += chunk.length;
      pending = Buffer.concat([pending, chunk]);
      settle(masks.push(chunk));
    }
    settle(masks.end());
  });
}

/** Leaves the first bytes of a finished log. */
export function cutOutput(disk: Fs, path: string, bytes: number): void {
  withLog(disk, path, diskFlags.O_RDWR, (fd) => disk.ftruncateSync(fd, bytes));
}

/** Bytes in the log. */
export function outputSize(disk: Fs, path: string): number {
  return disk.statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function withLog<Result>(disk: Fs, path: string, flags: number, act: (fd: number) => Result): Result | undefined {
  let fd: number;
  try {
    fd = disk.openSync(path, flags | diskFlags.O_NOFOLLOW | diskFlags.O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    if (codeOf(error) === "ELOOP") throw new UserError(`${path} is a link, and is not followed.`, undefined, 1);
    throw error;
  }
  try {
    return act(fd);
  } finally {
    disk.closeSync(fd);
  }
}

function readAt(disk: Fs, fd: number, from: number, length: number): Buffer {
  const buffer = Buffer.alloc(Math.max(0, length));
  let at = 0;
  while (at < buffer.length) {
    const count = disk.readSync(fd, buffer, at, buffer.length - at, from + at);
    if (count === 0) break;
    at += count;
  }
  return buffer.subarray(0, at);
}

function writeAt(disk: Fs, fd: number, bytes: Buffer, from: number): void {
  writeAll(
    {
      writeSync: ((file: number, data: Uint8Array, at: number, length: number) =>
        disk.writeSync(file, data, at, length, from + at)) as Fs["writeSync"],
    },
    fd,
    bytes,
  );
}
