// Process groups: whether one is alive, how many are in it, and how it is ended.
// Invariant: `endGroup` resolves only when no process of the group is left (zombies, which can do nothing, apart).
// Only groups that this process started itself may be named here: group ids are reused like process ids.

import { existsSync, readFileSync } from "node:fs";
import { startedSince } from "./process-ids.js";

const pollMs = 10;
/** After KILL a process can still be in an uninterruptible call; then it is given up. */
const killWaitMs = 1_000;

/** True while the group has a member, possibly a zombie. */
export function groupAlive(group: number): boolean {
  return signalGroup(group, 0);
}

/**
 * Members that are not zombies. Where there is no /proc: 1 when the group is alive.
 * `begun`: when its first process was started, by `performance.now()`; lets a look at a young group be short.
 */
export function groupSize(group: number, begun = Number.NEGATIVE_INFINITY): number {
  if (!groupAlive(group)) return 0;
  if (!existsSync("/proc/self/stat")) return 1;
  return startedSince(group, begun).filter((pid) => isMember(pid, group)).length;
}

/** And no zombie. */
export function isMember(pid: number, group: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // "pid (name) state parent group …"; the name may contain anything, also parentheses.
    const [state, , own] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return own === String(group) && state !== "Z" && state !== "X";
  } catch {
    // It ended between the listing and the look.
    return false;
  }
}

/** TERM to the group, KILL to what is left after `graceMs`. */
export async function endGroup(group: number, graceMs: number): Promise<void> {
  if (!signalGroup(group, "SIGTERM")) return;
  if (await goneWithin(group, graceMs)) return;
  signalGroup(group, "SIGKILL");
  await goneWithin(group, killWaitMs);
}

/** Ends what the command left in its group and says how many processes that were. `begun` as for `groupSize`. */
export async function leftovers(pid: number, graceMs: number, signal: AbortSignal, begun: number): Promise<number> {
  // The last members of a pipeline may still be on their way out. A zombie is out, however long nobody asks for it: what a
  // sandbox leaves behind is one until the system's first process looks, which in a container can be never.
  let count = groupSize(pid, begun);
  for (let ms = 1; ms < 32 && count > 0; ms *= 2) {
    await new Promise((resolve) => setTimeout(resolve, ms));
    count = groupSize(pid, begun);
  }
  if (count === 0) return 0;
  await endGroup(pid, signal.aborted ? 0 : graceMs);
  return count;
}

async function goneWithin(group: number, ms: number): Promise<boolean> {
  const until = performance.now() + ms;
  while (groupSize(group) > 0) {
    if (performance.now() >= until) return false;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  return true;
}

/** False when there is no such group. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ESRCH") return false;
    // macOS answers EPERM for a group of zombies only; elsewhere a member changed its user and is beyond us.
    if (code === "EPERM") return process.platform !== "darwin";
    throw error;
  }
}
