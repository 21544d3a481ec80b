// Which processes there are, and which of them can have been started by one that is known. Where there is no /proc: none.

import { readdirSync, readFileSync } from "node:fs";

/** Ids begin anew after 32,768 or more; no machine comes round to one of them within this time. */
const roundMs = 100;
const fewIds = 100;

export function everyone(): number[] {
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

/**
 * Every process that `first` can have started, itself included, and maybe others. `begun`: when it was started, by
 * `performance.now()`; of a young one it is known which ids were given out since, so the list is short.
 */
export function startedSince(first: number, begun: number): number[] {
  if (performance.now() - begun > roundMs) return everyone();
  const many = newestId() - first;
  return many >= 0 && many < fewIds ? Array.from({ length: many + 1 }, (_, i) => first + i) : everyone();
}

/** NaN where it cannot be known. */
function newestId(): number {
  try {
    return Number(readFileSync("/proc/loadavg", "latin1").trim().split(" ").at(-1));
  } catch {
    return Number.NaN;
  }
}
