// Opening a session file: reads every line once, keeps a light index, finds what is damaged and sets a torn tail aside.
// Invariants: no byte is thrown away (a tail moves to <id>.torn-<n>, a bad line stays where it is), every damage becomes
// a Repair with a sentence for the user, and nothing in the file is ever more than data.

import type { EntryData } from "../core/entry.js";
import { codeOf, UserError } from "../core/errors.js";
import type { Fs } from "../lib/fs.js";
import { isObject, parseJson } from "../lib/json.js";
import { JsonlWriter } from "../lib/jsonl.js";
import type { ScannedLine, Tail } from "../lib/jsonl-scan.js";
import { formatVersion, headOf, type LineHead } from "./line.js";
import { addNode, advance, type EntryTree, emptyTree } from "./tree.js";

export interface Repair {
  /** `torn`/`nul`: a tail that was set aside; `line`: a damaged line; `cut`: entries that hang on lost ones; `spill`: a long text lost. */
  kind: "torn" | "nul" | "line" | "cut" | "spill";
  /** Line number from 0, or null when it is not about one line. */
  line: number | null;
  /** One sentence for the user. */
  text: string;
  /** Already told in the log by an earlier opening. */
  known: boolean;
}

export type Header = EntryData["header"];

export interface Recovered {
  writer: JsonlWriter;
  tree: EntryTree;
  /** Null when the first line is damaged beyond reading. */
  header: Header | null;
  repairs: Repair[];
  /** Number for the next entry. */
  nextSeq: number;
}

/** More damaged lines than this are counted, not listed. */
const listedLimit = 100;

/** @throws UserError when the file is no session, an empty one, or of a newer version */
export function recover(disk: Fs, file: string): Recovered {
  const reading = new Reading();
  const { writer, scan } = JsonlWriter.open(disk, file, (line) => reading.take(line));
  try {
    if (reading.good === 0) throw refusal(file, reading.firstVersion, scan.lines > 0, scan.tail !== null);
    const repairs = reading.repairs();
    if (scan.tail) repairs.push(setAside(writer, file, scan.tail, scan.lines));
    return { writer, tree: reading.tree, header: reading.header, repairs, nextSeq: reading.nextSeq };
  } catch (error) {
    writer.close();
    throw error;
  }
}

function refusal(file: string, version: number | null, lines: boolean, tail: boolean): UserError {
  if (version !== null && version > formatVersion) return newer(version, file);
  const fix = "Start a new session, or resume another one.";
  if (lines) return new UserError(`${file} is not a session log: none of its lines is intact`, fix, 1);
  const what = tail ? "ends in the middle of its first line" : "is empty";
  return new UserError(`${file} ${what}: nothing was ever kept in this session`, fix, 1);
}

function newer(version: number, file?: string): UserError {
  const which = file ? `${file} was` : "this session was";
  return new UserError(
    `${which} written by a newer version of Cinch (format ${version}; this version reads ${formatVersion})`,
    "Use that version for this session, or start a new one.",
    1,
  );
}

/** Moves the tail into the first free <id>.torn-<n>. */
function setAside(writer: JsonlWriter, file: string, tail: Tail, line: number): Repair {
  const base = file.replace(/\.jsonl$/, "");
  for (let n = 1; ; n++) {
    const aside = `${base}.torn-${n}`;
    try {
      writer.cutTail(aside);
    } catch (error) {
      if (codeOf(error) === "EEXIST") continue;
      throw error;
    }
    const what = tail.kind === "nul" ? "a block of NUL bytes" : "a line that was never finished";
    const text = `the log ended in ${what} (${tail.length} bytes); it is kept in ${aside}, and nothing acknowledged is lost`;
    return { kind: tail.kind, line, text, known: false };
  }
}

/** What the log itself should say of its repairs; null when there is nothing that it does not say already. */
export function noteOf(repairs: readonly Repair[]): EntryData["note"] | null {
  const fresh = repairs.filter((repair) => !repair.known);
  if (fresh.length === 0) return null;
  const tailOnly = fresh.every((repair) => repair.kind === "torn" || repair.kind === "nul");
  const lines = fresh.flatMap((repair) => repair.line ?? []);
  const text = fresh.map((repair) => repair.text).join("\n");
  return { code: tailOnly ? "torn" : "chain", text, data: { lines } };
}

/** What one pass over the lines gathers. */
class Reading {
  readonly tree = emptyTree();
  header: Header | null = null;
  good = 0;
  nextSeq = 0;
  /** `v` of the first line, as far as it can be told. */
  firstVersion: number | null = null;
  #bad: { line: number; fault: string }[] = [];
  #badCount = 0;
  #lastBad = -1;
  #lastNoted = -1;
  #cut = 0;

  take(line: ScannedLine): void {
    if (line.line === 0) this.#takeFirst(line);
    const head = line.fault === null ? headOf(line.text) : null;
    if (!head) {
      this.#lastBad = line.line;
      this.nextSeq++;
      this.#report(line.line, line.fault ?? "is not an entry");
      return;
    }
    if (head.v > formatVersion) throw newer(head.v);
    this.good++;
    this.#checkOrder(line.line, head);
    const node = addNode(this.tree, head, line);
    if (node.cut) this.#cut++;
    if (head.type === "head") advance(this.tree, node, targetOf(line.text));
    else advance(this.tree, node);
    if (head.type === "note" && line.text.includes('"data":{"code":"chain"')) this.#lastNoted = line.line;
    this.nextSeq = head.seq + 1;
  }

  #takeFirst(line: ScannedLine): void {
    const version = /^\{"v":(\d{1,9}),/.exec(line.text)?.[1];
    this.firstVersion = version === undefined ? null : Number(version);
    const value = parseJson(line.text);
    const data = isObject(value) ? value["data"] : undefined;
    // A damaged header is still better than none, as long as it can be read; the damage is reported all the same.
    if (isObject(data) && data["format"] === "cinch-session") this.header = data as unknown as Header;
  }

  /** Next to lost lines numbers are not certain; everywhere else they count. */
  #checkOrder(line: number, head: LineHead): void {
    if (head.seq !== this.nextSeq && this.#lastBad !== line - 1) {
      this.#report(line, `has the number ${head.seq} where ${this.nextSeq} was expected`);
    }
    if (this.tree.byId.has(head.id)) this.#report(line, `repeats the id ${head.id}`);
  }

  #report(line: number, fault: string): void {
    this.#badCount++;
    if (this.#bad.length < listedLimit) this.#bad.push({ line, fault });
  }

  repairs(): Repair[] {
    const known = (line: number) => line < this.#lastNoted;
    const found: Repair[] = this.#bad.map(({ line, fault }) => ({
      kind: "line",
      line,
      text: `line ${line + 1} of the log ${fault}; it was left out, and the lines after it were read`,
      known: known(line),
    }));
    const more = this.#badCount - this.#bad.length;
    const all = known(this.#lastBad);
    if (more > 0)
      found.push({ kind: "line", line: null, text: `${more} more damaged lines were left out`, known: all });
    if (this.#cut > 0) {
      const text = `${this.#cut} entries hang on what was lost; they stay in the file and are not part of the conversation`;
      found.push({ kind: "cut", line: null, text, known: all });
    }
    return found;
  }
}

function targetOf(line: string): string | null | undefined {
  const value = parseJson(line);
  const data = isObject(value) ? value["data"] : undefined;
  const target = isObject(data) ? data["target"] : undefined;
  return typeof target === "string" || target === null ? target : undefined;
}
