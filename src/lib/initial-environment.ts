// The environment this process was started with, as the kernel keeps showing it in /proc: deleting a variable does not
// change it, and every child may read it. Here the bytes themselves are overwritten, on Linux (SPEC 1.14).
// Invariants: a variable that is still set keeps its value, which is moved to memory of its own first; what is reported as
// hidden has been read back. Nothing is promised on other systems, in a worker thread, or against a debugger.

import { isMainThread } from "node:worker_threads";
import type { Fs } from "./fs.js";

/** `absent`: this system does not show it. */
export type Hidden = "hidden" | "absent" | "visible";

const block = "/proc/self/environ";

/** Overwrites the values of all variables of that kind. */
export function hideInitial(disk: Fs, isSecret: (name: string) => boolean): Hidden {
  if (process.platform !== "linux" || !disk.existsSync(block)) return "absent";
  try {
    const found = secretsIn(disk, isSecret);
    if (found.length === 0) return "hidden";
    // In a worker the variables are copies, and those of the main thread would lose their values.
    if (!isMainThread) return "visible";
    for (const { name } of found) keepSet(name);
    overwrite(disk, found);
    return secretsIn(disk, isSecret).length === 0 ? "hidden" : "visible";
  } catch {
    // No right to, or no such file: the caller says that they can still be read.
    return "visible";
  }
}

interface Place {
  name: string;
  /** Of the value, in bytes from the beginning of the block. */
  from: number;
  length: number;
}

const filler = 0x2a;

/** Values that are not overwritten yet. */
function secretsIn(disk: Fs, isSecret: (name: string) => boolean): Place[] {
  const bytes = disk.readFileSync(block);
  const places: Place[] = [];
  for (let at = 0; at < bytes.length; ) {
    const zero = bytes.indexOf(0, at);
    const end = zero < 0 ? bytes.length : zero;
    const equals = bytes.indexOf(0x3d, at);
    if (equals > at && equals < end && isSecret(bytes.toString("utf8", at, equals))) {
      const value = bytes.subarray(equals + 1, end);
      if (value.some((byte) => byte !== filler)) {
        places.push({ name: bytes.toString("utf8", at, equals), from: equals + 1, length: value.length });
      }
    }
    at = end + 1;
  }
  return places;
}

/** Setting a variable anew takes it out of the block. */
function keepSet(name: string): void {
  const value = process.env[name];
  if (value !== undefined) process.env[name] = value;
}

function overwrite(disk: Fs, places: readonly Place[]): void {
  const start = startOfBlock(disk);
  const fd = disk.openSync("/proc/self/mem", "r+");
  try {
    for (const { from, length } of places) disk.writeSync(fd, Buffer.alloc(length, filler), 0, length, start + from);
  } finally {
    disk.closeSync(fd);
  }
}

/** `env_start`, field 50 of proc(5); the name of the program, field 2, may hold blanks and parentheses. */
function startOfBlock(disk: Fs): number {
  const stat = disk.readFileSync("/proc/self/stat", "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const start = Number(fields[47]);
  if (!Number.isSafeInteger(start) || start <= 0) throw new Error("env_start cannot be read");
  return start;
}
