// Whose listener it is that answers at a port of this machine, as the kernel has it. Reads only, and nothing is asked of a
// server. Where there is no /proc (macOS) it cannot be told.

import { readFileSync } from "node:fs";
import { descriptorsOf } from "./descriptors.js";
import { hasMark } from "./marked.js";
import { isMember } from "./process-group.js";
import { everyone } from "./process-ids.js";

/** State and addresses as /proc/net/tcp has them: 127.0.0.1 and every address, in both families. */
const listening = "0A";
const reached = [
  "0100007F",
  "00000000",
  "00000000000000000000000000000000",
  "0000000000000000FFFF00000100007F",
  "0000000000000000FFFF000000000000",
];

/**
 * Is everything that listens for 127.0.0.1 at this port held by a process of the group, or by one that carries the mark? null =
 * it cannot be told: the kernel does not say, or knows of nobody who listens there.
 */
export function holdsPort(port: number, { group, mark }: { group: number; mark: string }): boolean | null {
  const tables = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((file) => readTable(file) ?? []);
  const sockets = new Set(tables.flatMap((table) => listenersIn(table, port)));
  if (sockets.size === 0) return null;
  for (const pid of everyone()) {
    if (isMember(pid, group) || hasMark(pid, mark)) for (const held of socketsOf(pid)) sockets.delete(held);
    if (sockets.size === 0) return true;
  }
  return false;
}

function readTable(file: string): string | null {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return null;
  }
}

/** Their inodes. A row: number, local address and port, remote ones, state, …, inode. */
function listenersIn(table: string, port: number): string[] {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  return table.split("\n").flatMap((row) => {
    const [, local = "", , state, , , , , , inode = ""] = row.trim().split(/\s+/);
    const [address = "", at] = local.split(":");
    return state === listening && at === hex && reached.includes(address) ? [inode] : [];
  });
}

function socketsOf(pid: number): string[] {
  return descriptorsOf(pid).flatMap(({ to }) => /^socket:\[(\d+)\]$/.exec(to)?.[1] ?? []);
}
