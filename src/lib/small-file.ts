// Reads the head of a small regular file without ever blocking: no FIFO, no device, no unbounded read.

import { constants } from "node:fs";
import type { Fs } from "./fs.js";

export interface SmallFile {
  text: string;
  /** Size of the file. */
  bytes: number;
  /** True when `text` is only the first `max` bytes. */
  cut: boolean;
}

/** Undefined when the path is absent, unreadable or not a regular file. */
export function readSmall(disk: Fs, path: string, max: number): SmallFile | undefined {
  let fd: number;
  try {
    fd = disk.openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const stat = disk.fstatSync(fd);
    if (!stat.isFile()) return undefined;
    const buffer = Buffer.alloc(Math.min(stat.size, max));
    const length = disk.readSync(fd, buffer, 0, buffer.length, 0);
    // A cut may split a character; the decoder drops the broken end.
    const text = new TextDecoder("utf-8").decode(buffer.subarray(0, length), { stream: stat.size > max });
    return { text, bytes: stat.size, cut: stat.size > max };
  } catch {
    return undefined;
  } finally {
    disk.closeSync(fd);
  }
}
