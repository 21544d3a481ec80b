// When a session was last worked in. The time of its file says less: labels, undo, and the ends of tasks write to a session that
// nobody has gone back to.
// Invariant: reads from the end of the file and stops at the first entry that somebody's work made.

import type { Fs } from "../lib/fs.js";
import { isObject, parseJson } from "../lib/json.js";
import { headOf } from "./line.js";

const firstLook = 64 * 1024;

/** Milliseconds since the epoch; null = nothing was said in it yet. */
export function lastUse(disk: Fs, { file, size }: { file: string; size: number }): number | null {
  const fd = disk.openSync(file, "r");
  try {
    for (let length = firstLook; ; length *= 4) {
      const from = Math.max(0, size - length);
      const bytes = Buffer.alloc(size - from);
      const got = disk.readSync(fd, bytes, 0, bytes.length, from);
      const lines = bytes.toString("latin1", 0, got).split("\n");
      if (from > 0) lines.shift();
      for (const line of lines.reverse()) {
        const time = workTime(line);
        if (time !== null) return time;
      }
      if (from === 0) return null;
    }
  } finally {
    disk.closeSync(fd);
  }
}

const work: readonly string[] = ["message", "compaction", "head", "prompt"];

function workTime(line: string): number | null {
  if (!work.includes(headOf(line)?.type ?? "")) return null;
  const value = parseJson(line);
  if (!isObject(value) || !isObject(value["data"])) return null;
  const { time, data } = value;
  // What the harness tells a model by itself is nobody's work.
  return typeof time === "number" && data["origin"] !== "harness" ? time : null;
}
