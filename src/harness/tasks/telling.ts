// What a session is told of its tasks: every change as an entry and an event, the end of each as a message, what went wrong
// with them as a notice.
// Invariants: a change is in the record, then in the log, then an event. The end of a task is told once: notice and receipt
// are one write of the log, and whoever finds the receipt there tells nothing again.
// During a run it goes into the next request; to an idle session at once, which wakes it only if it waited for that. What
// ends between the last answer of a run and its end wakes it just so, once the run is over.

import type { Companions, Log, NewEntry } from "../../agent/ports.js";
import type { Entry } from "../../core/entry.js";
import { UserError } from "../../core/errors.js";
import type { Emit } from "../../core/event.js";
import { longestTimer } from "../../core/ids.js";
import type { JsonObject } from "../../core/json.js";
import { isSettled, ownCalls, type TaskRecord } from "../../core/task.js";
import { RunningTimer } from "../../lib/running-timer.js";
import { knownSecrets } from "../../secrets/known.js";
import type { TaskChange } from "../../tasks/queue.js";
import type { TaskHall } from "./hall.js";
import { noticeOf } from "./notice.js";

export interface TellingOptions {
  hall: TaskHall;
  session: string;
  /** The task that this session's agent is itself; null = none. */
  self: Pick<TaskRecord, "id" | "depth"> | null;
  log: Log & { attached(type: "task"): readonly Entry<"task">[] };
  emit: Emit;
  /** Somebody is there when no run is under way, so tasks may go on then; asked again each time, for people leave. */
  lasting(): boolean;
  /** A completion wakes an idle agent also when it was not waited for. */
  wakes: boolean;
  /** The agent is to go on with what it was just told, as soon as nothing is under way. */
  wake(): void;
}

export class TaskTelling implements Companions {
  readonly #options: TellingOptions;
  readonly #deaf: (() => void)[];
  /** Ids of what has ended and was not told yet, oldest first. */
  readonly #owed: string[] = [];
  /** What the model has waited for in vain. */
  readonly #awaited = new Set<string>();
  /** What was at work in the run under way. */
  readonly #listed = new Set<string>();
  #isRunning = false;
  /** What is not detached ends with the run under way. */
  #endsAll = false;
  /** The newest call of this run that started a command which may change files. */
  #changing: string | null = null;

  constructor(options: TellingOptions) {
    this.#options = options;
    const { hall, emit } = options;
    const unwatch = hall.queue.watch((event) => {
      if ("record" in event && this.isOwn(event.record)) this.#heard(event);
    });
    // Those that work for it share the hall, and the user hears of each fault once.
    const unheard = options.self ? [] : [hall.onFault((fault) => emit({ type: "notice", code: "tasks", ...fault }))];
    this.#deaf = [unwatch, ...unheard];
  }

  /** For a session that goes on: what ended without it is owed, and what goes on is watched over. */
  async begin(): Promise<void> {
    const { hall, session, log } = this.#options;
    await hall.adopt(session);
    const told = new Set<string>();
    for (const { data } of log.attached("task")) {
      if (data.change["told"] === true) told.add(data.id);
      // Told was its interruption, and it has gone on since.
      else if (data.change["to"] === "queued") told.delete(data.id);
    }
    for (const record of hall.queue.list().reverse()) {
      if (!this.isOwn(record) || isOfProgram(record) || record.told || !isSettled(record.state)) continue;
      if (told.has(record.id)) await hall.queue.tell(record.id);
      else if (!this.#owed.includes(record.id)) this.#owed.push(record.id);
    }
  }

  start(): void {
    this.#isRunning = true;
    this.#endsAll = !this.#options.lasting();
    this.#changing = null;
    this.#listed.clear();
    for (const { id } of this.open()) this.#listed.add(id);
  }

  deliver(): boolean {
    const { hall, log } = this.#options;
    const owed = this.#owed
      .splice(0)
      .flatMap((id) => hall.queue.find(id) ?? [])
      .filter(({ state }) => isSettled(state));
    if (owed.length === 0) return false;
    const text = knownSecrets.all(owed.map((record) => noticeOf(record)).join("\n\n"));
    const receipts = owed.map(({ id }): NewEntry => ({ type: "task", data: { id, change: { told: true } } }));
    log.appendAll([
      { type: "message", data: { role: "user", parts: [{ type: "text", text }], origin: "task" } },
      ...receipts,
    ]);
    for (const { id } of owed) {
      this.#awaited.delete(id);
      void hall.queue.tell(id);
    }
    return true;
  }

  async goOn(signal: AbortSignal): Promise<boolean> {
    const { hall } = this.#options;
    const isOwed = () => this.#owed.some((id) => hall.queue.find(id)?.kind === "agent" || this.#isWanted(id));
    this.#endsAll = !this.#options.lasting();
    if (this.#endsAll) await this.until(() => isOwed() || !this.#hasAgents(), undefined, signal);
    return isOwed() && !signal.aborted;
  }

  /** Resolves when no agent is at work, or a run is under way. */
  async quiet(signal: AbortSignal): Promise<void> {
    await this.until(() => this.#isRunning || !this.#hasAgents(), undefined, signal);
  }

  #hasAgents(): boolean {
    return this.open().some(({ kind, detach }) => kind === "agent" && !detach);
  }

  async finish(): Promise<string | null> {
    if (this.#endsAll) await this.#end();
    // What was ended with the run is nothing to go on with.
    const isWanted = !this.#endsAll && this.#owed.some((id) => this.#isWanted(id));
    this.#isRunning = false;
    if (this.deliver() && isWanted) this.#options.wake();
    return this.#changing;
  }

  /** Its end wakes an idle agent. */
  #isWanted(id: string): boolean {
    const { hall, wakes, lasting } = this.#options;
    return wakes || this.#awaited.has(id) || (hall.queue.find(id)?.kind === "agent" && !lasting());
  }

  listed(): JsonObject[] {
    return [...this.#listed].flatMap((id) => {
      const record = this.#options.hall.queue.find(id);
      return record ? [{ id, kind: record.kind, state: record.state, exit_code: record.exit_code ?? null }] : [];
    });
  }

  /** The model has waited for these: they go on, or the result of its call says how they ended and what an agent answered. */
  waitedFor(records: readonly TaskRecord[]): void {
    for (const { id, kind, state } of records) {
      if (!isSettled(state)) this.#awaited.add(id);
      else if (kind === "agent" && this.#owed.includes(id)) this.#answered(id);
    }
  }

  #answered(id: string): void {
    this.#owed.splice(this.#owed.indexOf(id), 1);
    this.#awaited.delete(id);
    this.record(id, { told: true });
    void this.#options.hall.queue.tell(id);
  }

  /** The session is over: what is not detached ends with it. */
  async close(): Promise<void> {
    await this.#end();
    this.deliver();
    for (const stop of this.#deaf) stop();
  }

  isOwn({ owner }: TaskRecord): boolean {
    return owner.session === this.#options.session;
  }

  open(): TaskRecord[] {
    return this.#options.hall.queue.own().filter((record) => this.isOwn(record) && !isSettled(record.state));
  }

  /** What the log cannot take is in the records all the same. */
  record(id: string, change: JsonObject): void {
    try {
      this.#options.log.append("task", { id, change });
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      this.#options.emit({ type: "notice", level: "warning", code: "tasks", text: error.message });
    }
  }

  /** Resolves when it is so, the time is up, or the signal is aborted. Changes of ours are heard of; others are looked for. */
  until(isSo: () => boolean, timeoutMs: number | undefined, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (isSo() || signal.aborted) return resolve();
      const look = () => void (isSo() && stop());
      const unwatch = this.#options.hall.queue.watch(look);
      // It also keeps the process alive while nothing else does.
      const looking = setInterval(look, lookEvery);
      const timer =
        timeoutMs === undefined ? undefined : new RunningTimer(Math.min(timeoutMs, longestTimer), () => stop());
      const stop = () => {
        unwatch();
        clearInterval(looking);
        timer?.end();
        signal.removeEventListener("abort", stop);
        resolve();
      };
      signal.addEventListener("abort", stop, { once: true });
      return undefined;
    });
  }

  #end(): Promise<void> {
    return this.#options.hall.end(this.open().filter(({ detach }) => !detach));
  }

  #heard({ record, from, to }: TaskChange): void {
    if (from === to) return;
    const { id, kind, title } = record;
    this.#listed.add(id);
    if (from === null && kind === "shell" && !record.readsOnly) this.#changing = record.owner.call;
    const about = from === null ? { kind, title } : {};
    const code = record.exit_code === undefined ? {} : { exit_code: record.exit_code };
    const why = record.error && isSettled(to) ? { error: { ...record.error } } : {};
    this.record(id, { from, to, ...about, ...code, ...why });
    this.#options.emit({ type: "task.change", task: id, from, to });
    if (!isSettled(to)) return;
    if (isOfProgram(record)) return;
    this.#owed.push(id);
    if (this.#isRunning) return;
    const isWanted = this.#isWanted(id);
    if (this.deliver() && isWanted) this.#options.wake();
  }
}

/** No model has asked for it, so none is told: the program waits for it itself. */
function isOfProgram({ owner }: TaskRecord): boolean {
  return owner.call?.startsWith(ownCalls) === true;
}

/** How often it is looked for what nobody tells. */
const lookEvery = 100;
