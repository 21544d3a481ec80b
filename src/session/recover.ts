// Opening a session file for writing: reads every line once (reading.ts), sets a torn tail aside, and
// writes a file anew that is of an older format or that the disk once failed to keep.
// Invariants: no byte is thrown away (a tail moves to <id>.torn-<n>, a bad line stays where it is), every damage becomes
// a Repair with a sentence for the user, and nothing in the file is ever more than data.

import type { EntryData } from "../core/entry.js";
import { codeOf, UserError } from "../core/errors.js";
import type { Fs } from "../lib/fs.js";
import { JsonlWriter } from "../lib/jsonl.js";
import type { Tail } from "../lib/jsonl-scan.js";
import { formatVersion } from "./line.js";
import { type Header, newer, Reading, type Repair } from "./reading.js";
import { rewriteFile } from "./rewrite.js";
import type { EntryTree } from "./tree.js";

export interface Recovered {
  writer: JsonlWriter;
  tree: EntryTree;
  /** Null when the first line is damaged beyond reading. */
  header: Header | null;
  repairs: Repair[];
  /** Number for the next entry. */
  nextSeq: number;
}

/** @throws UserError when the file is no session, an empty one, or of a version that cannot be read */
export function recover(disk: Fs, file: string): Recovered {
  const reading = new Reading();
  const { writer, scan } = JsonlWriter.open(disk, file, (line) => reading.take(line));
  try {
    if (reading.good === 0) throw refusal(file, reading.firstVersion, scan.lines > 0, scan.tail !== null);
    if (reading.oldest < formatVersion || disk.existsSync(doubtOf(file))) {
      writer.close();
      return rewritten(disk, file, reading);
    }
    const repairs = reading.repairs();
    if (scan.tail) repairs.push(setAside(writer, file, scan.tail, scan.lines));
    return { writer, tree: reading.tree, header: reading.header, repairs, nextSeq: reading.nextSeq };
  } catch (error) {
    writer.close();
    throw error;
  }
}

/** Beside a file that the disk once failed to keep. */
export function doubtOf(file: string): string {
  return `${baseOf(file)}.unsynced`;
}

function baseOf(file: string): string {
  return file.replace(/\.jsonl$/, "");
}

/** The same session in a new file. That does not show which lines of the old one were damaged, so they are told. */
function rewritten(disk: Fs, file: string, old: Reading): Recovered {
  const isOld = old.oldest < formatVersion;
  const kept = rewriteFile(disk, file, `${baseOf(file)}.${isOld ? `v${old.oldest}` : "failed"}`);
  disk.rmSync(doubtOf(file), { force: true });
  const recovered = recover(disk, file);
  const why = isOld
    ? `the log was of format ${old.oldest} and is of format ${formatVersion} now`
    : "the disk had failed to keep what was written to the log, so it was written anew";
  const left = old.repairs().filter(({ kind }) => kind === "line");
  const text = `${why}; the old file is kept as ${kept}`;
  recovered.repairs.push(...left, { kind: isOld ? "format" : "disk", line: null, offset: null, text, known: false });
  return recovered;
}

/** Why a file without one intact line cannot be opened. */
export function refusal(file: string, version: number | null, lines: boolean, tail: boolean): UserError {
  if (version !== null && version > formatVersion) return newer(version, file);
  const fix = "Start a new session, or resume another one.";
  if (lines) return new UserError(`${file} is not a session log: none of its lines is intact`, fix, 1);
  const what = tail ? "ends in the middle of its first line" : "is empty";
  return new UserError(`${file} ${what}: nothing was ever kept in this session`, fix, 1);
}

/** Moves the tail into the first free <id>.torn-<n>. */
function setAside(writer: JsonlWriter, file: string, tail: Tail, line: number): Repair {
  const base = baseOf(file);
  for (let n = 1; ; n++) {
    const aside = `${base}.torn-${n}`;
    try {
      writer.cutTail(aside);
    } catch (error) {
      if (codeOf(error) === "EEXIST") continue;
      throw error;
    }
    const what = tail.kind === "nul" ? "a block of NUL bytes" : "a line that was never finished";
    const text = `the log ended in ${what} (${tail.length} bytes); it is kept in ${aside}, and every line before it stays`;
    return { kind: tail.kind, line, offset: tail.offset, text, known: false };
  }
}

/** What the log itself should say of its repairs; null when there is nothing that it does not say already. */
export function noteOf(repairs: readonly Repair[]): EntryData["note"] | null {
  const fresh = repairs.filter((repair) => !repair.known);
  if (fresh.length === 0) return null;
  const only = (...kinds: Repair["kind"][]) => fresh.every(({ kind }) => kinds.includes(kind));
  const code = only("torn", "nul") ? "torn" : only("format", "disk") ? "rewritten" : "chain";
  const lines = fresh.flatMap((repair) => repair.line ?? []);
  const text = fresh.map((repair) => repair.text).join("\n");
  return { code, text, data: { lines } };
}
