// Checks one session file and everything it refers to: every line, the chain, the tree, long texts, what lies beside it.
// Invariant: takes no lock and changes nothing, so it may look at a session in use; what it finds says where it is, what is
// lost by it, and how to go on. Never throws for what is wrong with a session.

import { basename, dirname, join } from "node:path";
import { codeOf, messageOf, UserError } from "../core/errors.js";
import { diskFlags, type Fs } from "../lib/fs.js";
import { sha256 } from "../lib/hash.js";
import { JsonlScan, type ScannedLine } from "../lib/jsonl-scan.js";
import { lookAtLock } from "../lib/lock.js";
import { idOfFile } from "./faults.js";
import { formatVersion } from "./line.js";
import { Reading, type Repair } from "./reading.js";
import { doubtOf, refusal } from "./recover.js";
import { pathTo } from "./tree.js";

export interface SessionReport {
  id: string;
  file: string;
  bytes: number;
  lines: number;
  /** Intact entries. */
  entries: number;
  /** Those that hang on lost ones. */
  cut: number;
  /** Entries of the active path, and the last of them. */
  path: number;
  head: string | null;
  /** Long texts that intact lines refer to. */
  spills: number;
  /** The process that has it open. */
  inUse: { pid: number | null; host: string } | null;
  /** Files that repairs have left beside it; nothing needs them, and nobody but the user removes them. */
  aside: string[];
  problems: Problem[];
}

export interface Problem {
  kind: Repair["kind"] | "file" | "mode";
  /** From 0; null when it is not about one line. */
  line: number | null;
  /** Bytes from the start of the file. */
  offset: number | null;
  text: string;
  fix: string;
}

const goesOn = "Put a copy of the file in its place if you have one.";

/** How to go on after each kind of damage. */
const ways: Record<Problem["kind"], string> = {
  torn: "Resume the session: this tail is moved aside, and nothing before it changes.",
  nul: "Resume the session: this tail is moved aside, and nothing before it changes.",
  line: `${goesOn} Otherwise resume the session: it goes on without this entry.`,
  order: "Nothing is lost. Something other than Cinch has written to this file.",
  cut: `${goesOn} Otherwise resume the session: it goes on from the last entry before the damage.`,
  spill: "Put that file back if you have a copy. Otherwise its first 200 characters are all that is left of the text.",
  format: "Resume the session: it is brought to the current format, and the old file is kept.",
  disk: "Check the disk, then resume the session: its log is written anew, and the old file is kept.",
  file: "Start a new session, or resume another one.",
  mode: "Make it private: chmod 600",
};

export function verifySession(disk: Fs, file: string, spillDir: string): SessionReport {
  const check = new Check(disk, file, spillDir);
  try {
    check.run();
  } catch (error) {
    const fix = error instanceof UserError ? error.fix : undefined;
    check.note("file", messageOf(error), fix);
  }
  return check.report;
}

class Check {
  readonly report: SessionReport;
  readonly #disk: Fs;
  readonly #spillDir: string;
  readonly #spills = new Map<string, string | null>();

  constructor(disk: Fs, file: string, spillDir: string) {
    this.#disk = disk;
    this.#spillDir = spillDir;
    const counts = { bytes: 0, lines: 0, entries: 0, cut: 0, path: 0, spills: 0 };
    this.report = { id: idOfFile(file), file, ...counts, head: null, inUse: null, aside: [], problems: [] };
  }

  note(kind: Problem["kind"], text: string, fix = ways[kind], at?: { line: number; offset: number }): void {
    this.report.problems.push({ kind, line: at?.line ?? null, offset: at?.offset ?? null, text, fix });
  }

  run(): void {
    const { report } = this;
    this.#lookBeside();
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = diskFlags;
    const fd = this.#disk.openSync(report.file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const stat = this.#disk.fstatSync(fd);
      report.bytes = stat.size;
      const mode = stat.mode & 0o777;
      if (mode & 0o077)
        this.note("mode", `others may read it (mode ${mode.toString(8)})`, `${ways.mode} ${report.file}`);
      this.#readLines(fd);
    } finally {
      this.#disk.closeSync(fd);
    }
    report.spills = this.#spills.size;
  }

  #lookBeside(): void {
    const { file } = this.report;
    const stem = `${basename(file).replace(/\.jsonl$/, "")}.`;
    const names = this.#disk.readdirSync(dirname(file)).filter((name) => name.startsWith(stem));
    this.report.aside = names
      .filter((name) => /^(torn-\d+|failed(-\d+)?|v\d+(-\d+)?)$/.test(name.slice(stem.length)))
      .sort();
    const lock = lookAtLock(this.#disk, join(dirname(file), `${stem}lock`));
    if (lock && !lock.gone) this.report.inUse = { pid: lock.pid, host: lock.host };
    if (this.#disk.existsSync(doubtOf(file))) this.note("disk", "the disk once failed to keep what was written to it");
  }

  #readLines(fd: number): void {
    const { report } = this;
    const reading = new Reading();
    const scan = new JsonlScan(this.#disk, fd);
    for (const line of scan) {
      reading.take(line);
      if (line.fault === null) this.#checkSpills(line);
    }
    if (reading.good === 0) throw refusal(report.file, reading.firstVersion, scan.lines > 0, scan.tail !== null);
    report.lines = scan.lines;
    report.entries = reading.tree.nodes.length;
    report.cut = reading.cut;
    report.head = reading.tree.head?.id ?? null;
    report.path = pathTo(reading.tree.head).length;
    for (const { kind, line, offset, text } of reading.repairs()) {
      this.note(kind, text, ways[kind], line === null || offset === null ? undefined : { line, offset });
    }
    if (reading.oldest < formatVersion) this.note("format", `it is of format ${reading.oldest}`);
    // In a session that is in use, a line may be on its way.
    const { tail } = scan;
    if (!tail || report.inUse) return;
    const what = tail.kind === "nul" ? "a block of NUL bytes" : "a line that was never finished";
    const at = { line: scan.lines, offset: tail.offset };
    this.note(tail.kind, `it ends in ${what} (${tail.length} bytes from byte ${tail.offset} on)`, ways[tail.kind], at);
  }

  /** In a line, a quote inside of a string is escaped and a key of data that looks like this has a `~`: these are references. */
  #checkSpills({ line, offset, text }: ScannedLine): void {
    for (const [, name = ""] of text.matchAll(/"spill":"sha256:([0-9a-f]{64})"/g)) {
      const fault = this.#faultOf(name);
      if (fault === null) continue;
      const where = `line ${line + 1} (byte ${offset})`;
      const what = `${where} refers to the long text ${join(this.#spillDir, name)}, which ${fault}`;
      this.note("spill", what, ways.spill, { line, offset });
    }
  }

  #faultOf(name: string): string | null {
    const known = this.#spills.get(name);
    if (known !== undefined) return known;
    const fault = this.#readSpill(name);
    this.#spills.set(name, fault);
    return fault;
  }

  #readSpill(name: string): string | null {
    try {
      return sha256(this.#disk.readFileSync(join(this.#spillDir, name))) === name ? null : "has been changed";
    } catch (error) {
      return codeOf(error) === "ENOENT" ? "is missing" : `cannot be read: ${messageOf(error)}`;
    }
  }
}
