// Tasks on disk: <state>/tasks/, seen by every Cinch of the user.
//   <id>.json    the record, replaced atomically       <id>.log     what a command printed, from byte 0
//   <id>.end     how a command ended (shell-watch.ts)  <id>.cancel  somebody wants it ended
//   <id>.lease   lock of whoever changes the record of an owner that is gone
//   settled.jsonl  brief records of tasks that never change again: a cache, so that a listing reads one file and not 10,000
// Invariants: a record is changed by its owner alone, and when that is gone by whoever has the lease; a record that cannot
// be read is reported and kept. Nothing is synced: a record survives any end of a process; after a power failure the boot
// is another one, and what ran then is known to be interrupted.

import { join } from "node:path";
import { codeOf } from "../core/errors.js";
import type { TaskOwner, TaskRecord } from "../core/task.js";
import { replaceFile, sweepTemps } from "../lib/atomic-file.js";
import { diskFlags, type Fs } from "../lib/fs.js";
import { isGone, type Life, thisLife } from "../lib/life.js";
import { acquireLock } from "../lib/lock.js";
import { isTaskId, parseRecord, recordText } from "./record.js";
import { SettledIndex } from "./settled-index.js";

export type TaskFile = "json" | "log" | "end" | "cancel" | "lease";

export interface TaskStoreOptions {
  disk: Fs;
  /** Made when the first task is written. */
  dir: string;
  /** Told once of each record that cannot be read. */
  damaged(path: string, why: string): void;
}

export class TaskStore {
  readonly dir: string;
  readonly here: Life;
  readonly #disk: Fs;
  readonly #options: TaskStoreOptions;
  readonly #index: SettledIndex;
  readonly #reported = new Set<string>();
  #made = false;

  constructor(options: TaskStoreOptions) {
    this.#options = options;
    this.#disk = options.disk;
    this.dir = options.dir;
    this.here = thisLife(options.disk);
    this.#index = new SettledIndex(options.disk, join(options.dir, "settled.jsonl"));
  }

  file(id: string, what: TaskFile): string {
    return join(this.dir, `${id}.${what}`);
  }

  /** Written when it returns, for every process to see; throws the disk's faults. */
  async put(record: TaskRecord): Promise<void> {
    if (!this.#made) {
      this.#disk.mkdirSync(this.dir, { recursive: true, mode: 0o700 });
      sweepTemps(this.#disk, this.dir);
      this.#made = true;
    }
    // Without a sync it is done before the promise is there, so two changes land in the order of their calls.
    await replaceFile(this.#disk, this.file(record.id, "json"), recordText(record), { mode: 0o600, sync: false });
    this.#index.add(record);
  }

  /** Undefined: there is none that can be read. */
  read(id: string): TaskRecord | undefined {
    if (!isTaskId(id)) return undefined;
    const path = this.file(id, "json");
    let text: string;
    try {
      text = this.#textOf(path);
    } catch (error) {
      const code = codeOf(error);
      if (code === "ELOOP") this.#report(path, "it is a link");
      else if (code !== "ENOENT") this.#report(path, `it cannot be read (${code})`);
      return undefined;
    }
    const parsed = parseRecord(text, id);
    if (!("fault" in parsed)) return parsed;
    this.#report(path, parsed.fault);
    return undefined;
  }

  ids(): string[] {
    return this.#names().flatMap((name) => {
      const id = name.slice(0, -".json".length);
      return name.endsWith(".json") && isTaskId(id) ? [id] : [];
    });
  }

  /** All of them, newest first. Of those that never change again only what a list shows: no prompt, no result. */
  list(): TaskRecord[] {
    const records = this.#index.complete(this.ids(), (id) => this.read(id));
    const placeOf = ({ place = 0 }: TaskRecord) => place;
    return records.sort((a, b) => b.created - a.created || placeOf(b) - placeOf(a) || (a.id < b.id ? 1 : -1));
  }

  /** The files of a task, whatever is there of them. */
  remove(id: string): void {
    // The record goes last: what has none left is found as litter by nobody.
    for (const what of ["log", "end", "cancel", "lease", "json"] as const) {
      this.#disk.rmSync(this.file(id, what), { force: true });
    }
  }

  /** Is whoever the task belongs to certainly no more, or has it left the task behind? */
  isOrphan(owner: TaskOwner): boolean {
    return owner.left === true || isGone(this.#disk, owner, this.here);
  }

  /**
   * Changes the record of an orphan: `change` gets it as it is now and returns what it shall be, or null to leave it.
   * Undefined when another process is at it, or its owner is alive after all.
   */
  async takeOver(
    id: string,
    change: (record: TaskRecord) => Promise<TaskRecord | null>,
  ): Promise<TaskRecord | undefined> {
    const lock = acquireLock(this.#disk, this.file(id, "lease"));
    if (lock.held) return undefined;
    try {
      const record = this.read(id);
      if (!record || !this.isOrphan(record.owner)) return undefined;
      const next = await change(record);
      if (next) await this.put(next);
      return next ?? record;
    } finally {
      lock.release();
    }
  }

  /** Asks its owner, whoever that is, to end it. */
  wish(id: string): void {
    const flags = diskFlags.O_CREAT | diskFlags.O_WRONLY;
    this.#disk.closeSync(this.#disk.openSync(this.file(id, "cancel"), flags, 0o600));
  }

  isWished(id: string): boolean {
    return this.#disk.existsSync(this.file(id, "cancel"));
  }

  /** No link is followed, and nothing is waited for: a pipe has no end. */
  #textOf(path: string): string {
    const fd = this.#disk.openSync(path, diskFlags.O_RDONLY | diskFlags.O_NOFOLLOW | diskFlags.O_NONBLOCK);
    try {
      return this.#disk.readFileSync(fd, "utf8");
    } finally {
      this.#disk.closeSync(fd);
    }
  }

  #names(): string[] {
    try {
      return this.#disk.readdirSync(this.dir);
    } catch (error) {
      if (codeOf(error) === "ENOENT") return [];
      throw error;
    }
  }

  #report(path: string, why: string): void {
    if (this.#reported.has(path)) return;
    this.#reported.add(path);
    this.#options.damaged(path, why);
  }
}
