// A process, told from every other one that has or had its number: by start time, boot, host and pid namespace.
// Invariant: it counts as gone only when everything known says so: same host, and an earlier boot, or (in our pid
// namespace) no such process or one that started at another time. Age says nothing: clocks jump and laptops sleep.

import { hostname } from "node:os";
import { codeOf } from "../core/errors.js";
import type { Fs } from "./fs.js";
import { textAt } from "./text-file.js";

export interface Life {
  pid: number;
  /** Start time of the process in the unit of the platform; null where it cannot be told. */
  start: string | null;
  boot: string | null;
  host: string;
  /** Identity of the pid namespace; a pid means nothing outside its own. */
  space: string | null;
}

/** Looked up once for each disk: nothing of it changes while the process lives. */
export function thisLife(disk: Fs): Life {
  const known = ours.get(disk) ?? lifeOf(disk, process.pid);
  ours.set(disk, known);
  return known;
}

const ours = new WeakMap<Fs, Life>();

/** Of a process on this machine. */
export function lifeOf(disk: Fs, pid: number): Life {
  return {
    pid,
    start: processStart(disk, pid)?.start ?? null,
    boot: textAt(disk, "/proc/sys/kernel/random/boot_id")?.trim() ?? null,
    host: hostname(),
    space: pidNamespace(disk),
  };
}

/** True only when everything known says that the process is gone. */
export function isGone(disk: Fs, life: Life, here: Life): boolean {
  if (life.host !== here.host) return false;
  if (life.boot !== null && here.boot !== null && life.boot !== here.boot) return true;
  if (life.space !== here.space) return false;
  if (!exists(life.pid)) return true;
  const now = processStart(disk, life.pid);
  if (!now) return false;
  return now.zombie || (life.start !== null && now.start !== life.start);
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== "ESRCH";
  }
}

/** Field 22 of /proc/<pid>/stat; null where there is no /proc, and then a living pid counts as the process. */
function processStart(disk: Fs, pid: number): { start: string; zombie: boolean } | null {
  const stat = textAt(disk, `/proc/${pid}/stat`);
  if (stat === null) return null;
  // The name in field 2 may hold blanks and brackets, so count from behind its last bracket.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const start = fields[19];
  return start === undefined ? null : { start, zombie: fields[0] === "Z" || fields[0] === "X" };
}

function pidNamespace(disk: Fs): string | null {
  try {
    return disk.readlinkSync("/proc/self/ns/pid");
  } catch {
    return null; // No /proc here: there is one namespace only.
  }
}
