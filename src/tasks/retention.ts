// Which tasks are too old to be kept, and their removal.
// Invariant: what has not been told to whom it belongs is kept four times as long, so that a notice that waits for its
// session is not lost by a holiday.

import { isSettled, type TaskRecord } from "../core/task.js";
import type { TaskStore } from "./store.js";

const day = 24 * 60 * 60 * 1_000;
/** However young they are, no more than these are kept. */
const most = 10_000;

/** Newest first in; those that go out. */
export function outlived(records: readonly TaskRecord[], days: number, now: number): TaskRecord[] {
  const over = records.filter(({ state }) => isSettled(state));
  return over.filter(({ told, ended, created }, place) => {
    const age = now - (ended ?? created);
    return age > (told ? 1 : 4) * days * day || (told && place >= most);
  });
}

/** Removes them with their logs. Returns their ids. */
export function retire(store: TaskStore, records: readonly TaskRecord[], days: number, now: number): Set<string> {
  const gone = outlived(records, days, now).map(({ id }) => id);
  for (const id of gone) store.remove(id);
  return new Set(gone);
}
