// Tasks whose process is gone: found by whoever looks next, and seen to their true end.
//   queued                  interrupted
//   an agent that ran       interrupted
//   a command, attached     its watcher ends it when it hears of that end; what the watcher wrote down is what happened.
//                           Was the watcher killed as well: whatever carries the mark of the task is ended
//   a command, detached     goes on, and is watched over again by its own session; ended meanwhile: as its watcher wrote
//   an earlier boot         interrupted, and nothing is signalled: no process of then is left
// Invariants: nothing begins again here; a task of a process that lives is not touched; two that look at once do it once.

import { codeOf } from "../core/errors.js";
import { isSettled, type TaskRecord } from "../core/task.js";
import type { Fs } from "../lib/fs.js";
import { isGone } from "../lib/life.js";
import { endMarked } from "../lib/marked.js";
import type { TaskOutcome } from "./queue.js";
import type { ShellRunner } from "./shell-runner.js";
import { readEnd, taskMark } from "./shell-watch.js";
import type { TaskStore } from "./store.js";

export interface OrphanOptions {
  disk: Fs;
  store: TaskStore;
  shells: ShellRunner;
  now(): number;
  /** Told when what became of one could not be written down: it is looked at again by whoever comes next. */
  fault(error: unknown, record: Pick<TaskRecord, "id">): void;
}

/** A watcher needs at most so long to end its command. Milliseconds. */
const patience = 8_000;

/** All among these. Returns them as they are now: detached commands still run, for whoever wants to watch over them. */
export async function settleOrphans(options: OrphanOptions, records: readonly TaskRecord[]): Promise<TaskRecord[]> {
  const { store } = options;
  const open = records.filter(({ state, owner }) => !isSettled(state) && store.isOrphan(owner));
  const settled = await Promise.all(open.map(({ id }) => settleOrphan(options, id)));
  return settled.flatMap((record) => record ?? []);
}

/** One of them, as it is then; undefined when somebody else is at it. */
export async function settleOrphan(options: OrphanOptions, id: string): Promise<TaskRecord | undefined> {
  try {
    return await options.store.takeOver(id, async (record) => {
      if (isSettled(record.state)) return null;
      const outcome = await outcomeOf(options, record);
      return outcome && { ...record, ended: options.now(), ...outcome };
    });
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    options.fault(error, { id });
    return undefined;
  }
}

/** `ended`: when, as its watcher wrote, to the second. */
type Found = TaskOutcome & { ended?: number };

/** Null: it goes on. */
async function outcomeOf(options: OrphanOptions, record: TaskRecord): Promise<Found | null> {
  const { store, shells, disk } = options;
  const before = record.state === "queued" ? "before it began" : "while it ran";
  const text = `interrupted: Cinch ended ${before}.`;
  const interrupted: TaskOutcome = { state: "interrupted", error: { kind: "crash", text } };
  if (record.state === "queued" || record.kind !== "shell") return interrupted;
  if (record.owner.boot !== store.here.boot && record.owner.boot !== null) {
    return { ...shells.outcome(record, readEnd(disk, store.file(record.id, "end"))), ...interrupted };
  }
  const isWatched = () => isWatcherAlive(options, record);
  const path = store.file(record.id, "end");
  const until = performance.now() + patience;
  while (!readEnd(disk, path) && isWatched()) {
    if (record.detach) return null;
    if (performance.now() > until) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const end = readEnd(disk, path);
  if (end) return { ...shells.outcome(record, end), ended: Math.max(record.started ?? 0, end.time) };
  await endMarked(taskMark(record.id), { graceMs: 500 });
  return { ...shells.outcome(record, undefined), ...interrupted };
}

/** Where it was not recorded yet, nothing is known of it but the mark of its command. */
function isWatcherAlive({ disk, store }: OrphanOptions, { pid, start, owner }: TaskRecord): boolean {
  return pid !== undefined && !isGone(disk, { ...owner, pid, start: start ?? null }, store.here);
}
