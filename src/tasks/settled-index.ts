// Brief records of tasks that never change again, one JSON line each, in one file: what a list shows.
// Invariant: a cache and nothing else. A line that cannot be read, or is missing, costs one look at the record; a line of a
// task whose record is gone counts for nothing; deleting the file costs time.

import { codeOf } from "../core/errors.js";
import type { TaskRecord, TaskState } from "../core/task.js";
import { replaceFile } from "../lib/atomic-file.js";
import { diskFlags, type Fs } from "../lib/fs.js";
import { isObject, parseJson } from "../lib/json.js";

/** Lines of tasks that are gone, from which on the file is written anew. */
const litter = 1_000;

export class SettledIndex {
  readonly #disk: Fs;
  readonly #path: string;

  constructor(disk: Fs, path: string) {
    this.#disk = disk;
    this.#path = path;
  }

  /** Records of all these tasks, from the file where it has them; what is missing in it is added. */
  complete(ids: readonly string[], read: (id: string) => TaskRecord | undefined): TaskRecord[] {
    const { known, lines } = this.#load();
    const missing: TaskRecord[] = [];
    let found = 0;
    const records = ids.flatMap((id) => {
      const line = known.get(id);
      if (line) {
        found++;
        return [line];
      }
      const record = read(id);
      if (!record) return [];
      if (!isFinal(record)) return [record];
      const short = brief(record);
      missing.push(short);
      return [short];
    });
    this.#save(records, missing, lines - found);
    return records;
  }

  /** A record that was just written: when it is final, no listing ever has to open it. */
  add(record: TaskRecord): void {
    if (!isFinal(record)) return;
    try {
      this.#append(lineOf(brief(record)));
    } catch (error) {
      ignoreFault(error);
    }
  }

  #load(): { known: Map<string, TaskRecord>; lines: number } {
    const known = new Map<string, TaskRecord>();
    let text: string;
    try {
      text = this.#disk.readFileSync(this.#path, "utf8");
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      return { known, lines: 0 };
    }
    const lines = linesOf(text);
    for (const value of lines) if (isWhole(value)) known.set(value.id, value);
    return { known, lines: lines.length };
  }

  /** A disk that takes nothing costs the next listing the same time again, and no more. */
  #save(records: readonly TaskRecord[], missing: readonly TaskRecord[], stale: number): void {
    try {
      if (stale > litter) {
        const all = records.filter(isFinal).map(lineOf).join("");
        void replaceFile(this.#disk, this.#path, all, { mode: 0o600, sync: false }).catch(ignoreFault);
      } else if (missing.length > 0) this.#append(missing.map(lineOf).join(""));
    } catch (error) {
      ignoreFault(error);
    }
  }

  #append(text: string): void {
    const flags = diskFlags.O_CREAT | diskFlags.O_APPEND | diskFlags.O_WRONLY;
    const fd = this.#disk.openSync(this.#path, flags, 0o600);
    try {
      this.#disk.writeSync(fd, text);
    } finally {
      this.#disk.closeSync(fd);
    }
  }
}

/** All at once, which takes a third of the time; one by one when a line is damaged. */
function linesOf(text: string): readonly unknown[] {
  const all = parseJson(`[${text.trimEnd().replaceAll("\n", ",")}]`);
  if (Array.isArray(all)) return all;
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map(parseJson);
}

/** Lines are written here alone, from records that were looked at member by member. */
function isWhole(value: unknown): value is TaskRecord {
  if (!isObject(value)) return false;
  const { v, id, state, owner, created } = value as unknown as TaskRecord;
  return v === 1 && typeof id === "string" && isObject(owner) && typeof created === "number" && finals.includes(state);
}

function ignoreFault(error: unknown): void {
  if (codeOf(error) === undefined) throw error;
}

/** For ever in this state, and nobody has to be told any more. */
function isFinal({ state, told }: TaskRecord): boolean {
  return told && finals.includes(state);
}

const finals: readonly TaskState[] = ["succeeded", "failed", "cancelled"];

/** What a list shows of it. */
function brief(record: TaskRecord): TaskRecord {
  const { prompt: _prompt, result: _result, value: _value, outputSchema: _schema, ...rest } = record;
  return rest;
}

function lineOf(record: TaskRecord): string {
  return `${JSON.stringify(record)}\n`;
}
