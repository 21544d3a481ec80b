// What a list of sessions shows of each beside its header: the first prompt and how many entries there are.
// Invariant: reads the two ends of a file and nothing between them, so a list costs the same for long sessions and short.

import type { Fs } from "../lib/fs.js";
import { isObject, parseJson } from "../lib/json.js";
import { headOf } from "./line.js";
import { asLine } from "./outline.js";

export interface Glance {
  /** The first line of the user's first message; null when there is none near the beginning. */
  prompt: string | null;
  /** Lines of the file, by the number of the last one; null when it cannot be told. */
  entries: number | null;
}

const firstLook = 64 * 1024;
const longestLook = 1024 * 1024;

export function glance(disk: Fs, { file, size }: { file: string; size: number }): Glance {
  const fd = disk.openSync(file, "r");
  try {
    const read = (length: number, from: number) => {
      const bytes = Buffer.alloc(Math.max(0, Math.min(length, size - from)));
      const got = disk.readSync(fd, bytes, 0, bytes.length, from);
      return bytes.toString("latin1", 0, got);
    };
    return { prompt: firstPrompt(read, size), entries: entriesOf(read, size) };
  } finally {
    disk.closeSync(fd);
  }
}

type Read = (length: number, from: number) => string;

function firstPrompt(read: Read, size: number): string | null {
  for (let length = firstLook; ; length = longestLook) {
    for (const line of read(length, 0).split("\n").slice(0, -1)) {
      const text = promptOf(line);
      if (text !== null) return asLine(text);
    }
    if (length >= Math.min(size, longestLook)) return null;
  }
}

function promptOf(line: string): string | null {
  if (headOf(line)?.type !== "message") return null;
  const value = parseJson(line);
  const data = isObject(value) && isObject(value["data"]) ? value["data"] : null;
  if (data?.["role"] !== "user" || data["origin"] !== "user" || !Array.isArray(data["parts"])) return null;
  const part: unknown = data["parts"][0];
  const text = isObject(part) ? part["text"] : undefined;
  // A text over 64 KB lies in a file of its own; its beginning is here.
  const shown = isObject(text) ? text["head"] : text;
  return typeof shown === "string" ? shown : null;
}

function entriesOf(read: Read, size: number): number | null {
  for (let length = firstLook; ; length *= 4) {
    const from = Math.max(0, size - length);
    const lines = read(length, from)
      .split("\n")
      .slice(from === 0 ? 0 : 1, -1);
    const last = lines.at(-1);
    if (last !== undefined) return (headOf(last)?.seq ?? -2) + 1 || null;
    if (from === 0) return null;
  }
}
