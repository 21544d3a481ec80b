// Finding processes by a mark in their environment: whatever left its process group (setsid) still has it.
// Invariant: only processes that carry the mark are ended, looked at again right before the signal. A process that
// cleaned its environment is not found; only a sandbox with process ids of its own holds such a one.
// Where there is no /proc nothing is found here.

import { readFileSync } from "node:fs";
import { everyone, startedSince } from "./process-ids.js";

export const markName = "CINCH_RUN";

/** The process that began before all others of a mark, and when, by `performance.now()`. */
interface Since {
  pid: number;
  begun: number;
}

/** Processes with `mark`, or with a mark that begins with it and a dot. */
function markedProcesses(mark: string, since?: Since): number[] {
  const candidates = since ? startedSince(since.pid, since.begun) : everyone();
  return candidates.filter((pid) => pid !== since?.pid && pid !== process.pid && hasMark(pid, mark));
}

/** Ends them, TERM first; resolves to how many there were when all are gone or beyond reach. */
export async function endMarked(mark: string, options: { since?: Since; graceMs: number }): Promise<number> {
  const found = new Set(markedProcesses(mark, options.since));
  if (found.size === 0) return 0;
  for (const pid of found) send(pid, "SIGTERM");
  const until = performance.now() + options.graceMs;
  const giveUp = until + 1_000;
  for (;;) {
    const alive = markedProcesses(mark, options.since);
    for (const pid of alive) found.add(pid);
    if (alive.length === 0 || performance.now() > giveUp) return found.size;
    if (performance.now() > until) for (const pid of alive) send(pid, "SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** That mark, or one that begins with it and a dot. */
export function hasMark(pid: number, mark: string): boolean {
  const at = `\0${readText(`/proc/${pid}/environ`)}`.split(`\0${markName}=${mark}`)[1];
  return at !== undefined && (at === "" || at.startsWith("\0") || at.startsWith("."));
}

/** "" for what cannot be read: it ended meanwhile, or belongs to somebody else. */
function readText(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}
