// One pass over the lines of a session file: the light index, and what is damaged, each with its line and its place.
// Invariants: a damaged line never ends the pass and is never believed; what is reported says which line, at which byte,
// and what became of it. Changes nothing: recover.ts repairs for a writer, verify.ts only reports.

import type { EntryData } from "../core/entry.js";
import { UserError } from "../core/errors.js";
import { isObject, parseJson } from "../lib/json.js";
import type { ScannedLine } from "../lib/jsonl-scan.js";
import { formatVersion, headOf, type LineHead } from "./line.js";
import { upgraded } from "./migrations.js";
import { addNode, advance, emptyTree } from "./tree.js";

export interface Repair {
  /**
   * `torn`/`nul`: a tail that is not a line; `line`: a damaged line; `order`: a number out of order; `cut`: entries that
   * hang on lost ones; `spill`: a long text lost; `format`, `disk`: written anew, see rewrite.ts.
   */
  kind: "torn" | "nul" | "line" | "order" | "cut" | "spill" | "format" | "disk";
  /** Line number from 0, or null when it is not about one line. */
  line: number | null;
  /** Where that line begins in the file, in bytes. */
  offset: number | null;
  /** One sentence for the user. */
  text: string;
  /** Already told in the log by an earlier opening. */
  known: boolean;
}

export type Header = EntryData["header"];

/** More damaged lines than this are counted, not listed. */
const listedLimit = 100;

type Finding = Pick<Repair, "offset" | "text"> & { kind: "line" | "order"; line: number };

/** What one pass over the lines gathers. */
export class Reading {
  readonly tree = emptyTree();
  header: Header | null = null;
  good = 0;
  nextSeq = 0;
  /** `v` of the first line, as far as it can be told. */
  firstVersion: number | null = null;
  /** The lowest `v` of an intact line. */
  oldest: number = formatVersion;
  #found: Finding[] = [];
  #foundCount = 0;
  #lastBad = -1;
  #lastNoted = -1;
  /** Entries that hang on what was lost. */
  cut = 0;
  #firstCut = "";

  /** @throws UserError when an intact line is of a version that this one cannot read */
  take(line: ScannedLine): void {
    if (line.line === 0) this.#takeFirst(line);
    const head = line.fault === null ? headOf(line.text) : null;
    if (!head) this.#leaveOut(line, line.fault ?? "is not an entry");
    else if (head.v > formatVersion) throw newer(head.v);
    else if (head.v === formatVersion) this.#takeEntry(line, line.text, head);
    else this.#takeOlder(line, head.v);
  }

  #takeOlder(line: ScannedLine, version: number): void {
    this.oldest = Math.min(this.oldest, version);
    const text = upgraded(line.text, version);
    const head = headOf(text);
    if (head) this.#takeEntry(line, text, head);
    else this.#leaveOut(line, "is not an entry");
  }

  #takeEntry(line: ScannedLine, text: string, head: LineHead): void {
    this.good++;
    this.#checkOrder(line, head);
    // Only damage or another writer repeats an id. What hangs on it can mean the first one only.
    if (this.tree.byId.has(head.id)) {
      this.#leaveOut(line, `repeats the id ${head.id}`);
      return;
    }
    this.nextSeq = head.seq + 1;
    const node = addNode(this.tree, head, line);
    if (node.cut && this.cut++ === 0) this.#firstCut = placeOf(line);
    if (head.type === "head") advance(this.tree, node, targetOf(text));
    else advance(this.tree, node);
    if (head.type === "note" && text.includes('"data":{"code":"chain"')) this.#lastNoted = line.line;
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
  #checkOrder(line: ScannedLine, head: LineHead): void {
    if (head.seq === this.nextSeq || this.#lastBad === line.line - 1) return;
    const text = `${placeOf(line)} of the log has the number ${head.seq} where ${this.nextSeq} was expected; it was kept`;
    this.#report({ kind: "order", line: line.line, offset: line.offset, text });
  }

  #leaveOut(line: ScannedLine, fault: string): void {
    this.#lastBad = line.line;
    this.nextSeq++;
    const text = `${placeOf(line)} of the log ${fault}; it was left out, and the lines after it were read`;
    this.#report({ kind: "line", line: line.line, offset: line.offset, text });
  }

  #report(finding: Finding): void {
    this.#foundCount++;
    if (this.#found.length < listedLimit) this.#found.push(finding);
  }

  repairs(): Repair[] {
    const known = (line: number) => line < this.#lastNoted;
    const found: Repair[] = this.#found.map((finding) => ({ ...finding, known: known(finding.line) }));
    const more = this.#foundCount - found.length;
    const all = known(this.#lastBad);
    const nowhere = { line: null, offset: null, known: all };
    if (more > 0) found.push({ kind: "line", text: `${more} more damaged lines were left out`, ...nowhere });
    if (this.cut > 0) {
      const which = this.cut === 1 ? "1 entry hangs" : `${this.cut} entries hang`;
      const text = `${which} on what was lost, from ${this.#firstCut} on: kept in the file, and not part of the conversation`;
      found.push({ kind: "cut", text, ...nowhere });
    }
    return found;
  }
}

function placeOf({ line, offset }: ScannedLine): string {
  return `line ${line + 1} (byte ${offset})`;
}

function targetOf(line: string): string | null | undefined {
  const value = parseJson(line);
  const data = isObject(value) ? value["data"] : undefined;
  const target = isObject(data) ? data["target"] : undefined;
  return typeof target === "string" || target === null ? target : undefined;
}

export function newer(version: number, file?: string): UserError {
  const which = file ? `${file} was` : "this session was";
  return new UserError(
    `${which} written by a newer version of Cinch (format ${version}; this version reads ${formatVersion})`,
    "Use that version for this session, or start a new one.",
    1,
  );
}
