// Whether standard input is a pipe that another process of a pipeline writes to. Whoever starts programs with a pipe that it
// holds open and never writes to is an ancestor of them; the process before one in a pipeline is none. Reads only.
// Where there is no /proc (macOS), and of other users' processes, it cannot be told, and the answer is no.

import { readFileSync } from "node:fs";
import { descriptorsOf } from "./descriptors.js";
import { everyone } from "./process-ids.js";

/** `pid`: whose standard input. */
export function isFed(pid = process.pid): boolean {
  const input = descriptorsOf(pid).find(({ fd }) => fd === "0")?.to ?? "";
  if (!input.startsWith("pipe:")) return false;
  const own = lineOf(pid);
  return everyone().some((other) => !own.has(other) && writesTo(other, input));
}

/** It and its ancestors. */
function lineOf(pid: number): Set<number> {
  const line = new Set<number>();
  for (let at = pid; at > 0 && !line.has(at); at = parentOf(at)) line.add(at);
  return line;
}

function parentOf(pid: number): number {
  const stat = textOf(`/proc/${pid}/stat`);
  // "pid (name) state parent …"; the name may contain anything, also parentheses.
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] ?? 0);
}

function writesTo(pid: number, pipe: string): boolean {
  return descriptorsOf(pid).some(({ fd, to }) => to === pipe && isWritable(textOf(`/proc/${pid}/fdinfo/${fd}`)));
}

/** The last two bits of the flags, which are octal: 0 reads, 1 writes, 2 does both. */
function isWritable(info: string): boolean {
  const [, flags = "0"] = /^flags:\s*([0-7]+)/m.exec(info) ?? [];
  return (Number.parseInt(flags, 8) & 3) !== 0;
}

/** Empty when the process has ended. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
