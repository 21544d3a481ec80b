// Finding processes by a mark in their environment: whatever left its process group (setsid) still has it.
// Invariant: only processes that carry the mark are ended, looked at again right before the signal. A process that
// cleaned its environment is not found; only a sandbox with process ids of its own holds such a one.
// Where there is no /proc nothing is found here.

import { readdirSync, readFileSync } from "node:fs";

export const markName = "CINCH_RUN";

/** Processes with `mark`, or with a mark that begins with it and a dot. `since`: the pid of one that began before them all. */
function markedProcesses(mark: string, since = 0): number[] {
  if (since > 0 && !anyNewer(since)) return [];
  return allProcesses().filter((pid) => pid > since && pid !== process.pid && carries(pid, mark));
}

/** Ends them, TERM first; resolves to how many there were when all are gone or beyond reach. */
export async function endMarked(mark: string, options: { since?: number; graceMs: number }): Promise<number> {
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

/** False when the kernel has given out no process id since, which one small read tells. */
function anyNewer(pid: number): boolean {
  const newest = Number(readText("/proc/loadavg").trim().split(" ").at(-1));
  return newest !== pid;
}

function allProcesses(): number[] {
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

function carries(pid: number, mark: string): boolean {
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
