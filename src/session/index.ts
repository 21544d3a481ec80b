// Sessions for others: read-only access to their files (package entry "./session"; the format is FORMAT.md).
// Invariant: reading takes no lock and changes nothing, so it works beside a running session.

import { dirname, join } from "node:path";
import type { Entry } from "../core/entry.js";
import { type Fs, nodeFs } from "../lib/fs.js";
import { JsonlScan } from "../lib/jsonl-scan.js";
import { entryOf, formatVersion, headOf } from "./line.js";
import { upgraded } from "./migrations.js";
import { newer } from "./reading.js";
import { Spill } from "./spill.js";

export type { Entry, EntryData, EntryType, RequestMark } from "../core/entry.js";
export type { Message, Part } from "../core/message.js";

/** One line of a session file: its entry, or why there is none. */
export type SessionLine =
  | { line: number; entry: Entry; problem: null }
  /** `problem`: a damaged line, or a last line that is not finished (yet). */
  | { line: number; entry: null; problem: string };

export interface ReadOptions {
  /** Directory of long texts; default: `spill/` of the state directory that the file is in. */
  spillDir?: string;
  fs?: Fs;
}

/**
 * Every line of a session file in order, verified, in bounded memory. Long texts that are gone end in a note.
 * @throws UserError (exit 1) when the file was written by a newer version; whatever the file system throws
 */
export function* readSession(file: string, options: ReadOptions = {}): Generator<SessionLine> {
  const disk = options.fs ?? nodeFs;
  const spill = new Spill(disk, options.spillDir ?? join(dirname(file), "..", "..", "spill"));
  const fd = disk.openSync(file, "r");
  try {
    const scan = new JsonlScan(disk, fd);
    for (const { line, text, fault } of scan) {
      const head = fault === null ? headOf(text) : null;
      if (head && head.v > formatVersion) throw newer(head.v, file);
      const now = head && head.v < formatVersion ? upgraded(text, head.v) : text;
      const entry = head && entryOf(now, (data, json) => spill.decode(data, json, () => {}));
      if (entry) yield { line, entry, problem: null };
      else yield { line, entry: null, problem: fault ?? "is not an entry" };
    }
    if (scan.tail) yield { line: scan.lines, entry: null, problem: "is not finished" };
  } finally {
    disk.closeSync(fd);
  }
}
