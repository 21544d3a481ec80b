// Where the tasks of all sessions of a harness are: store, queue, worker, and who does which kind of work.
// Invariants: the limits hold for all sessions together; when the hall is closed, what was attached has its outcome and what
// is detached is left behind for whoever comes next. Tasks of another live process are never touched, only asked to end.

import { codeOf, messageOf } from "../../core/errors.js";
import type { Clock } from "../../core/ids.js";
import { isSettled, type TaskKind, type TaskRecord } from "../../core/task.js";
import type { Fs } from "../../lib/fs.js";
import { knownSecrets } from "../../secrets/known.js";
import { redactedData } from "../../secrets/redacted.js";
import { DiskShares } from "../../tasks/disk-shares.js";
import { EmbeddedQueue } from "../../tasks/embedded.js";
import { settleOrphan, settleOrphans } from "../../tasks/orphans.js";
import type { TaskRunner } from "../../tasks/queue.js";
import { retire } from "../../tasks/retention.js";
import { ShellRunner } from "../../tasks/shell-runner.js";
import { TaskStore } from "../../tasks/store.js";
import { TaskWorker } from "../../tasks/worker.js";

export interface HallOptions {
  dir: string;
  disk: Fs;
  clock: Clock;
  /** Of each kind, at the same time. */
  parallel: number;
  /** Days that a task is kept after its end. */
  retention: number;
  /** Bytes that one command in the background may print. */
  maxBytes: number;
}

/** What went wrong with tasks and is nobody's outcome. `error`: a bug of Cinch; `warning`: the disk's doing. */
export interface TaskFault {
  level: "warning" | "error";
  text: string;
}

/** How often it is looked whether another process wants a task of ours ended. */
const wishEvery = 500;

export class TaskHall {
  readonly store: TaskStore;
  readonly queue: EmbeddedQueue;
  readonly shells: ShellRunner;
  readonly #options: HallOptions;
  /** By their text: the same one is said once. */
  readonly #faults = new Map<string, TaskFault>();
  readonly #hearers = new Set<(fault: TaskFault) => void>();
  readonly #shares: DiskShares;
  readonly #worker: TaskWorker;
  readonly #runners = new Map<TaskKind, TaskRunner>();
  #newest = { created: 0, place: 0 };
  #timer: NodeJS.Timeout | undefined;
  #settled: Promise<{ going: TaskRecord[]; changed: boolean }> | undefined;

  constructor(options: HallOptions) {
    const { disk, dir, clock, parallel } = options;
    this.#options = options;
    this.store = new TaskStore({
      disk,
      dir,
      damaged: (path, why) => this.#fault("warning", `${path} is no record of a task and was left as it is: ${why}.`),
    });
    this.queue = new EmbeddedQueue({
      store: this.store,
      parallel,
      now: () => clock.now(),
      redact: redacted,
      fault: (error, { id }) => this.#unwritten(id, error),
    });
    this.#shares = new DiskShares(options.maxBytes);
    this.shells = new ShellRunner({
      disk,
      store: this.store,
      redactor: knownSecrets,
      cap: (record) => this.#shares.of(record),
    });
    this.#runners.set("shell", this.shells);
    this.#worker = new TaskWorker({
      queue: this.queue,
      clock,
      runnerOf: (record) => this.#runners.get(record.kind),
      bug: (error, { id }) => this.#fault("error", `Task ${id} met a bug of Cinch: ${stackOf(error)}`),
    });
    this.queue.watch((event) => {
      if ("record" in event && isSettled(event.to)) this.#shares.ended(event.record);
      this.#watchWishes();
    });
  }

  /** Also of what went wrong before. Returns how to stop listening. */
  onFault(hear: (fault: TaskFault) => void): () => void {
    for (const fault of this.#faults.values()) hear(fault);
    this.#hearers.add(hear);
    return () => void this.#hearers.delete(hear);
  }

  #fault(level: TaskFault["level"], text: string): void {
    if (this.#faults.has(text)) return;
    const fault = { level, text };
    this.#faults.set(text, fault);
    for (const hear of this.#hearers) hear(fault);
  }

  /** A full disk is the world's fault; what has no code is Cinch's. */
  #unwritten(id: string, error: unknown): void {
    const code = codeOf(error);
    const why = code === undefined ? stackOf(error) : messageOf(error);
    this.#fault(code === undefined ? "error" : "warning", `The record of task ${id} could not be written: ${why}.`);
  }

  /** For a task that is created now: lists keep the order in which they were asked for. */
  stamp(): Pick<TaskRecord, "created" | "place"> {
    const now = this.#options.clock.now();
    const place = now === this.#newest.created ? this.#newest.place + 1 : 0;
    this.#newest = { created: now, place };
    return place === 0 ? { created: now } : this.#newest;
  }

  /** Who does the work of a kind. */
  employ(kind: TaskKind, runner: TaskRunner): void {
    this.#runners.set(kind, runner);
  }

  /** Once for each hall, before anything is shown or told: what was left by processes that are gone; what is too old goes. */
  async settle(): Promise<void> {
    this.#settled ??= this.#settle(this.store.list());
    await this.#settled;
  }

  async #settle(records: readonly TaskRecord[]): Promise<{ going: TaskRecord[]; changed: boolean }> {
    const found = await settleOrphans(this.#orphans, records);
    const gone = retire(this.store, records, this.#options.retention, this.#options.clock.now());
    for (const record of records) if (!gone.has(record.id)) this.#shares.ended(record);
    return { going: found.filter(({ state }) => state === "running"), changed: found.length + gone.size > 0 };
  }

  /** All of them, as they truly are. With thousands one look takes as long as anybody waits, so it is not two. */
  async list(): Promise<TaskRecord[]> {
    if (this.#settled) {
      await this.#settled;
      return this.queue.list();
    }
    const records = this.queue.list();
    this.#settled = this.#settle(records);
    return (await this.#settled).changed ? this.queue.list() : records;
  }

  /** Commands of a session that went on without Cinch are watched over again. */
  async adopt(session: string): Promise<void> {
    await this.settle();
    for (const { id, owner } of (await this.#settled)?.going ?? []) {
      if (owner.session !== session) continue;
      const record = await this.store.takeOver(id, async (now) => {
        const { left: _left, ...rest } = now.owner;
        return now.state === "running" ? { ...now, owner: { ...rest, ...this.store.here } } : null;
      });
      if (record?.state !== "running") continue;
      this.queue.adopt(record);
      this.#worker.resume(record);
    }
  }

  /** Ends it, whoever's it is, and resolves to it as it is then. Of another process that does not answer: as it was. */
  async cancel(id: string): Promise<TaskRecord | undefined> {
    const record = this.queue.find(id);
    if (!record || isSettled(record.state)) return record;
    if (this.#isOurs(id)) await this.queue.cancel(id);
    else if (this.store.isOrphan(record.owner)) return this.#cancelOrphan(record);
    else this.store.wish(id);
    await this.#settledWithin([id], 10_000);
    return this.queue.find(id);
  }

  async #cancelOrphan(record: TaskRecord): Promise<TaskRecord | undefined> {
    // Only what is detached goes on without its owner, and its watcher hears of the wish.
    if (record.detach) this.store.wish(record.id);
    await this.#settledWithin([record.id], 10_000, () => settleOrphan(this.#orphans, record.id));
    return this.queue.find(record.id);
  }

  /** Ends tasks of ours. */
  async end(records: readonly TaskRecord[]): Promise<void> {
    const ids = records.map(({ id }) => id);
    for (const { id, state } of records) if (state === "queued") await this.queue.cancel(id);
    await this.#worker.end(ids, "closing");
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    const open = this.queue.own().filter(({ state }) => !isSettled(state));
    const leaving = open.filter(({ state, detach }) => state === "running" && detach);
    for (const { id } of leaving) {
      await this.queue.leave(id);
      this.shells.leave(id);
    }
    await this.end(open.filter((record) => !leaving.includes(record)));
    this.#worker.stop();
  }

  get #orphans() {
    const { disk, clock } = this.#options;
    return {
      ...{ disk, store: this.store, shells: this.shells, now: () => clock.now() },
      fault: (error: unknown, { id }: { id: string }) => this.#unwritten(id, error),
    };
  }

  #isOurs(id: string): boolean {
    return this.queue.own().some((record) => record.id === id);
  }

  async #settledWithin(ids: readonly string[], ms: number, look?: () => Promise<unknown>): Promise<void> {
    const until = performance.now() + ms;
    while (performance.now() < until) {
      await look?.();
      if (ids.every((id) => isSettled(this.queue.find(id)?.state ?? "failed"))) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** While tasks of ours are open, another process may ask for their end by a file. */
  #watchWishes(): void {
    if (!this.queue.own().some(({ state }) => !isSettled(state))) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    this.#timer ??= setInterval(() => {
      for (const { id } of this.queue.own()) if (this.store.isWished(id)) void this.queue.cancel(id);
    }, wishEvery).unref();
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** What a restart has to find again stays as it is. */
const exact = ["id", "owner", "cwd", "session", "dependsOn", "output"] as const;

function redacted<Facts extends Partial<TaskRecord>>(facts: Facts): Facts {
  const clean = redactedData(facts, (text) => knownSecrets.values(text));
  if (clean === facts) return facts;
  const kept = exact.flatMap((name) => (facts[name] === undefined ? [] : [[name, facts[name]]]));
  return { ...clean, ...Object.fromEntries(kept) };
}
