// The name of an unfinished file, which says whose it is: pid, start time, and hashes of boot and of host and namespace.
// Invariant: what a living process is still writing is never removed; what a dead one of this machine left, always. Of
// other machines and containers nothing is known but age: theirs go after a day.

import { randomBytes } from "node:crypto";
import { type Fs, nodeFs } from "./fs.js";
import { sha256 } from "./hash.js";
import { isGone, type Life, thisLife } from "./life.js";

const filePattern = /^\.cinch-([0-9a-f]{1,8})-([0-9]*)-([0-9a-f]{8})-([0-9a-f]{8})-[0-9a-f]{8}\.tmp$/;
const directoryPattern = /^cinch-([0-9a-f]{1,8})-([0-9]*)-([0-9a-f]{8})-([0-9a-f]{8})-[0-9a-f]{8}$/;
/** For programs that take patterns. */
export const tempGlob = ".cinch-*.tmp";
const foreignAge = 24 * 60 * 60 * 1_000;
let here: Life | undefined;

/** A fresh name; `life`: whose. */
export function tempName(life: Life = ours()): string {
  return `.${tempDirectoryName(life)}.tmp`;
}

/** The same for a directory in the system's place for such. */
export function tempDirectoryName(life: Life = ours()): string {
  const { pid, start } = life;
  const random = randomBytes(4).toString("hex");
  return `cinch-${pid.toString(16)}-${start ?? ""}-${bootOf(life)}-${placeOf(life)}-${random}`;
}

/** Whether a file name is that of an unfinished write. */
export function isTempName(name: string): boolean {
  return filePattern.test(name);
}

export function isTempDirectoryName(name: string): boolean {
  return directoryPattern.test(name);
}

/** Whether nobody uses a file or directory of this name any more, last changed at `mtime`. */
export function isLeftOver(disk: Fs, name: string, mtime: number): boolean {
  const [, pid, start, boot, place] = filePattern.exec(name) ?? directoryPattern.exec(name) ?? [];
  if (pid === undefined) return false;
  const us = ours();
  if (place !== placeOf(us)) return Date.now() - mtime > foreignAge;
  const life: Life = { ...us, pid: Number.parseInt(pid, 16), start: start || null };
  return isGone(disk, boot === bootOf(us) ? life : { ...life, boot: `not ${us.boot}` }, us);
}

/** Asked of the system once: it cannot change. */
function ours(): Life {
  here ??= thisLife(nodeFs);
  return here;
}

const short = (text: string) => sha256(text).slice(0, 8);
const bootOf = ({ boot }: Life) => short(boot ?? "");
const placeOf = ({ host, space }: Life) => short(JSON.stringify([host, space]));
