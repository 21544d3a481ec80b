// Takes tasks from a queue as fast as it hands them out, and sees each to its outcome.
// Invariants: whatever a runner does, its task gets exactly one outcome; a task that is to end hears of it through its
// signal, and its deadline is such an end.

import { messageOf } from "../core/errors.js";
import { type Clock, longestTimer } from "../core/ids.js";
import type { TaskRecord } from "../core/task.js";
import { RunningTimer } from "../lib/running-timer.js";
import { TaskEnd, type TaskNews, type TaskOutcome, type TaskQueue, type TaskRunner } from "./queue.js";

export interface WorkerOptions {
  queue: TaskQueue;
  clock: Clock;
  /** Undefined: nobody here can do this. */
  runnerOf(record: TaskRecord): TaskRunner | undefined;
  /** Something that is a bug. */
  bug(error: unknown, record: TaskRecord): void;
}

export class TaskWorker {
  readonly #options: WorkerOptions;
  readonly #ending = new Map<string, AbortController>();
  readonly #running = new Set<Promise<void>>();
  readonly #unwatch: () => void;
  #claiming: Promise<void> | undefined;
  #again = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#unwatch = options.queue.watch((event) => {
      if ("wish" in event) this.#ending.get(event.wish)?.abort(new TaskEnd("cancelled"));
      else void this.#claimAll();
    });
  }

  /** Ends those tasks; resolves when they have their outcome. */
  async end(ids: readonly string[], why: TaskEnd["why"]): Promise<void> {
    for (const id of ids) this.#ending.get(id)?.abort(new TaskEnd(why));
    while (ids.some((id) => this.#ending.has(id))) await Promise.race(this.#running);
  }

  /** Sees a task on that already runs (adopted from a process that is gone). */
  resume(record: TaskRecord): void {
    this.#begin(record);
  }

  stop(): void {
    this.#unwatch();
  }

  /** One claim after the other: what changes while one is under way is looked at behind it. */
  #claimAll(): Promise<void> {
    this.#again = true;
    this.#claiming ??= this.#claimUntilNone().finally(() => {
      this.#claiming = undefined;
    });
    return this.#claiming;
  }

  async #claimUntilNone(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      for (;;) {
        const record = await this.#options.queue.claim();
        if (!record) break;
        this.#begin(record);
      }
    }
  }

  #begin(record: TaskRecord): void {
    const ending = new AbortController();
    this.#ending.set(record.id, ending);
    const work = this.#perform(record, ending).finally(() => {
      this.#ending.delete(record.id);
      this.#running.delete(work);
    });
    this.#running.add(work);
  }

  async #perform(record: TaskRecord, ending: AbortController): Promise<void> {
    const { queue, clock, runnerOf, bug } = this.#options;
    const { id, deadline } = record;
    const left = deadline === null ? undefined : Math.min(longestTimer, Math.max(0, deadline - clock.now()));
    const timer = left === undefined ? undefined : new RunningTimer(left, () => ending.abort(new TaskEnd("timeout")));
    const renew = async (news?: TaskNews) => {
      const lease = await queue.renew(id, news);
      if (lease !== "held" && !ending.signal.aborted) ending.abort(new TaskEnd("cancelled"));
    };
    const control = {
      signal: ending.signal,
      heartbeat: () => void renew(),
      progress: (news: TaskNews) => void renew(news),
    };
    let outcome: TaskOutcome;
    try {
      const runner = runnerOf(record);
      outcome = runner
        ? await runner.run(record, control)
        : { state: "failed", error: { kind: "spawn", text: `Nothing here can do a task of kind ${record.kind}.` } };
    } catch (error) {
      bug(error, record);
      outcome = { state: "failed", error: { kind: "crash", text: messageOf(error) } };
    } finally {
      timer?.end();
    }
    await queue.finish(id, outcome);
  }
}
