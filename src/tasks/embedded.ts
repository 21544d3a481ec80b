// The queue of one process, journaled in the records of its tasks (store.ts): what queue.ts promises, for one machine.
// Invariants: a change is checked against the table and taken in memory at once, then written, then told, so two callers
// can never both make it; the number of tasks that run never exceeds a limit; what is settled and told is in memory no more;
// what is secret in a task never gets into its record.
// Not here: who does the work (worker.ts), and what becomes of tasks whose process is gone (orphans.ts).

import { isSettled, mayBecome, type TaskKind, type TaskOwner, type TaskRecord, type TaskState } from "../core/task.js";
import type { Batch, Lease, TaskChange, TaskNews, TaskOutcome, TaskQueue } from "./queue.js";
import type { TaskStore } from "./store.js";

export interface EmbeddedOptions {
  store: TaskStore;
  /** Tasks of one kind at the same time. Of each: servers that run for hours must not keep agents from starting. */
  parallel: number;
  now(): number;
  /** Takes what is secret out of what was asked for, and out of an outcome. */
  redact<Facts extends Partial<TaskRecord>>(facts: Facts): Facts;
  /** Told when a change could not be written; it holds in this process all the same. */
  fault(error: unknown, record: TaskRecord): void;
}

interface Live {
  record: TaskRecord;
  batch: { parallel: number; running: number };
  /** Somebody asked for its end. */
  wished: boolean;
  resting: boolean;
}

/** A sign of life without news is written this often at most. Milliseconds. */
const heartbeatEvery = 5_000;

export class EmbeddedQueue implements TaskQueue {
  readonly #options: EmbeddedOptions;
  /** In the order in which they were submitted. */
  readonly #live = new Map<string, Live>();
  readonly #listeners = new Set<(event: TaskChange | { wish: string }) => void>();
  readonly #running: Record<TaskKind, number> = { agent: 0, shell: 0 };

  constructor(options: EmbeddedOptions) {
    this.#options = options;
  }

  async submit(given: readonly TaskRecord[], { parallel = Number.POSITIVE_INFINITY }: Batch = {}): Promise<void> {
    const batch = { parallel, running: 0 };
    const { store, redact } = this.#options;
    const records = given.map((record) => redact(record));
    const written: string[] = [];
    try {
      for (const record of records) {
        await store.put(record);
        written.push(record.id);
      }
    } catch (error) {
      for (const id of written) store.remove(id);
      throw error;
    }
    for (const record of records) this.#live.set(record.id, { record, batch, wished: false, resting: false });
    for (const record of records) this.#tell({ record, from: null, to: record.state });
    this.#dropUnreachable();
  }

  async resubmit(id: string): Promise<TaskRecord> {
    const { store } = this.#options;
    const old = store.read(id);
    if (!old || !mayBecome(old.state, "queued")) throw new Error(`task ${id} is not interrupted`);
    const { pid: _pid, pgid: _pgid, start: _start, error: _error, ...kept } = old;
    const { left: _left, ...owner } = { ...old.owner, ...store.here };
    const record: TaskRecord = { ...kept, owner, state: "queued", ended: null, deadline: null, told: false };
    await store.put(record);
    this.#live.set(id, { record, batch: { parallel: 1, running: 0 }, wished: false, resting: false });
    this.#tell({ record, from: old.state, to: "queued" });
    return record;
  }

  async claim(): Promise<TaskRecord | null> {
    const next = this.#next();
    if (!next) return null;
    const now = this.#options.now();
    const { time } = next.record.limits;
    const deadline = time === undefined ? null : now + time * 1_000;
    return this.#change(next, "running", { started: now, heartbeat: now, deadline });
  }

  async renew(id: string, news?: TaskNews): Promise<Lease> {
    const live = this.#live.get(id);
    if (live?.record.state !== "running") return "lost";
    const now = this.#options.now();
    const isDue = now - (live.record.heartbeat ?? 0) >= heartbeatEvery;
    if (news || isDue) {
      if (this.#isLost(live)) return "lost";
      live.record = { ...live.record, ...news, heartbeat: now };
      await this.#write(live.record);
    }
    return live.wished ? "cancel" : "held";
  }

  async finish(id: string, { state, ...outcome }: TaskOutcome): Promise<boolean> {
    const live = this.#live.get(id);
    if (live?.record.state !== "running" || this.#isLost(live)) return false;
    await this.#change(live, state, { ...outcome, ended: this.#options.now() });
    return true;
  }

  async cancel(id: string): Promise<void> {
    const live = this.#live.get(id);
    if (!live || isSettled(live.record.state)) return;
    if (live.record.state === "queued") {
      await this.#change(live, "cancelled", { ended: this.#options.now() });
      return;
    }
    live.wished = true;
    for (const heard of this.#listeners) heard({ wish: id });
  }

  find(id: string): TaskRecord | undefined {
    return this.#live.get(id)?.record ?? this.#options.store.read(id);
  }

  list(): TaskRecord[] {
    return this.#options.store.list().map((record) => this.#live.get(record.id)?.record ?? record);
  }

  /** What this process has to see to the end: queued, running, or not told yet. */
  own(): TaskRecord[] {
    return [...this.#live.values()].map(({ record }) => record);
  }

  watch(heard: (event: TaskChange | { wish: string }) => void): () => void {
    this.#listeners.add(heard);
    return () => void this.#listeners.delete(heard);
  }

  async tell(id: string): Promise<void> {
    const record = this.find(id);
    if (!record || record.told || !isSettled(record.state)) return;
    this.#live.delete(id);
    await this.#write({ ...record, told: true });
  }

  rest(id: string, on: boolean): void {
    const live = this.#live.get(id);
    if (!live || live.resting === on || live.record.state !== "running") return;
    live.resting = on;
    this.#count(live, on ? -1 : 1);
    if (on) this.#tell({ record: live.record, from: "running", to: "running" });
  }

  /** A task that is detached goes on: whoever comes next may take it. */
  async leave(id: string): Promise<void> {
    const live = this.#live.get(id);
    if (!live || isSettled(live.record.state)) return;
    this.#live.delete(id);
    this.#count(live, -1);
    await this.#write({ ...live.record, owner: { ...live.record.owner, left: true } });
  }

  /** A task of a process that is gone, taken over as it runs. */
  adopt(record: TaskRecord): void {
    const live = { record, batch: { parallel: Number.POSITIVE_INFINITY, running: 0 }, wished: false, resting: false };
    this.#live.set(record.id, live);
    this.#count(live, 1);
  }

  // --- the inside ----------------------------------------------------------------------------------------------------

  #next(): Live | undefined {
    let best: Live | undefined;
    for (const live of this.#live.values()) {
      const { record, batch } = live;
      if (record.state !== "queued" || batch.running >= batch.parallel) continue;
      if (this.#running[record.kind] >= this.#options.parallel || !this.#isReady(record)) continue;
      if (!best || batch.running < best.batch.running) best = live;
      if (batch.running === 0) break;
    }
    return best;
  }

  /** Another process took this one for gone and has settled it or taken it over; what is on disk is true, and no longer ours. */
  #isLost(live: Live): boolean {
    const { id, owner } = live.record;
    const now = this.#options.store.read(id);
    if (!now || (!isSettled(now.state) && isSame(now.owner, owner))) return false;
    this.#live.delete(id);
    if (!live.resting) this.#count(live, -1);
    return true;
  }

  #isReady(record: TaskRecord): boolean {
    return record.dependsOn.every((id) => this.find(id)?.state === "succeeded");
  }

  async #change(live: Live, to: TaskState, facts: Partial<TaskRecord>): Promise<TaskRecord> {
    const from = live.record.state;
    if (!mayBecome(from, to)) throw new Error(`task ${live.record.id}: ${from} does not become ${to}`);
    const record: TaskRecord = { ...live.record, ...this.#options.redact(facts), state: to };
    live.record = record;
    if (to === "running") this.#count(live, 1);
    if (from === "running" && !live.resting) this.#count(live, -1);
    live.resting = false;
    await this.#write(record);
    this.#tell({ record, from, to });
    if (isSettled(to)) this.#dropUnreachable();
    return record;
  }

  #count(live: Live, by: 1 | -1): void {
    live.batch.running += by;
    this.#running[live.record.kind] += by;
  }

  /** What waits for a task that did not succeed never begins. */
  #dropUnreachable(): void {
    for (const live of this.#live.values()) {
      if (live.record.state !== "queued") continue;
      const failed = live.record.dependsOn.find((id) => {
        const state = this.find(id)?.state;
        return state === undefined || (isSettled(state) && state !== "succeeded");
      });
      if (failed === undefined) continue;
      const text = `It waits for task ${failed}, which is ${this.find(failed)?.state ?? "not there"}.`;
      const ended = this.#options.now();
      void this.#change(live, "cancelled", { ended, error: { kind: "dependency", text } });
    }
  }

  async #write(record: TaskRecord): Promise<void> {
    try {
      await this.#options.store.put(record);
    } catch (error) {
      this.#options.fault(error, record);
    }
  }

  #tell(change: TaskChange): void {
    for (const heard of this.#listeners) heard(change);
  }
}

function isSame(one: TaskOwner, other: TaskOwner): boolean {
  const parts = ["pid", "start", "boot", "host", "space", "session"] as const;
  return parts.every((part) => one[part] === other[part]);
}
