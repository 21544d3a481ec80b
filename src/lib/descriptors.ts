// What a process has open, as /proc names it. Reads only. Where there is no /proc, and of somebody else's process: nothing.

import { readdirSync, readlinkSync } from "node:fs";

/** Each descriptor with what it leads to: a path, `socket:[inode]`, `pipe:[inode]`. */
export function descriptorsOf(pid: number | "self"): { fd: string; to: string }[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => ({ fd, to: linkOf(`/proc/${pid}/fd/${fd}`) }));
  } catch {
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // It was closed meanwhile.
    return "";
  }
}
