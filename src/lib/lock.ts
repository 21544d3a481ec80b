// A lock file: one holder at a time, known by process, start time, boot and host.
// Invariants: the file appears with its whole content (link of a finished file); a lock is stale only when everything
// known of its holder says that it is gone: same host, and an earlier boot, or (in our pid namespace) no such process
// or one that started at another time. Age never makes a lock stale: clocks jump and laptops sleep.
// Not for network disks with hosts that cannot see each other: there a dead holder's lock has to be removed by hand.

import { randomBytes } from "node:crypto";
import { codeOf } from "../core/errors.js";
import type { JsonObject } from "../core/json.js";
import type { Fs } from "./fs.js";
import { isObject, parseJson } from "./json.js";
import { isGone, type Life, thisLife } from "./life.js";
import { textAt } from "./text-file.js";

export interface Holder extends Life {
  /** Random; makes this very acquisition recognisable. */
  mark: string;
  /** What else the holder says of itself. */
  memo?: JsonObject;
}

export interface Lock {
  held: false;
  /** Removes the lock if it is still ours. */
  release(): void;
}

/** `pid` is null when the lock file cannot be understood. */
export interface LockHeld {
  held: true;
  pid: number | null;
  host: string;
}

/** Takes the lock, over a dead holder's if need be. Throws only for faults of the disk (EACCES, ENOSPC, …). */
export function acquireLock(disk: Fs, path: string): Lock | LockHeld {
  const mine = thisProcess(disk);
  const draft = `${path}.${mine.mark}`;
  writeDraft(disk, draft, mine);
  try {
    const holder = takeLock(disk, path, { mine, draft });
    return holder === "ours" ? lockOf(disk, path, mine) : heldBy(holder);
  } finally {
    remove(disk, draft);
  }
}

/** Who has the lock, without taking it: null = nobody; `gone` = a process that is no more, so the next taker gets it. */
export function lookAtLock(disk: Fs, path: string): (LockHeld & { gone: boolean }) | null {
  const text = textAt(disk, path);
  if (text === null) return null;
  const holder = parseHolder(text);
  return { ...heldBy(holder), gone: holder !== null && isGone(disk, holder, thisProcess(disk)) };
}

export interface Taker {
  mine: Holder;
  /** A finished file that says who we are in its first line; the lock becomes another name of it. */
  draft: string;
  /** Asked about a lock that cannot be understood: may it be taken over? Default no. */
  overDamaged?: (text: string) => boolean;
}

/** Takes the lock `path`, or says who has it (null = that cannot be told). Throws only for faults of the disk. */
export function takeLock(disk: Fs, path: string, taker: Taker): "ours" | Holder | null {
  const { mine, draft, overDamaged = () => false } = taker;
  // Each round ends in an answer, or something changed under us; two dying holders in a row are already unusual.
  for (let round = 0; round < 16; round++) {
    if (linked(disk, draft, path)) return "ours";
    const text = textAt(disk, path);
    if (text === null) continue;
    const holder = parseHolder(text);
    if (holder ? !isGone(disk, holder, mine) : !overDamaged(text)) return holder;
    const rival = takeOver(disk, path, text, draft, mine);
    if (rival !== "again") return rival;
  }
  return null;
}

/**
 * Replaces a stale lock. Only who holds `<path>.takeover` may, and looks again once he does, so two who judged the same
 * lock stale cannot both win.
 */
function takeOver(
  disk: Fs,
  path: string,
  stale: string,
  draft: string,
  mine: Holder,
): "ours" | "again" | Holder | null {
  const gate = `${path}.takeover`;
  if (!linked(disk, draft, gate)) {
    const text = textAt(disk, gate);
    if (text === null) return "again";
    const holder = parseHolder(text);
    if (!holder || !isGone(disk, holder, mine)) return holder;
    clearGate(disk, gate, text, `${draft}.gate`);
    return "again";
  }
  try {
    if (textAt(disk, path) !== stale) return "again";
    // rename() of two links of one file would do nothing, so the gate keeps `draft`'s file and the lock gets a new one.
    const fresh = `${draft}.lock`;
    writeText(disk, fresh, disk.readFileSync(draft, "utf8"));
    disk.renameSync(fresh, path);
    return parseHolder(textAt(disk, path) ?? "")?.mark === mine.mark ? "ours" : "again";
  } finally {
    remove(disk, gate);
  }
}

/** Removes the gate of a process that died while it took over; puts it back if it was somebody else's by now. */
function clearGate(disk: Fs, gate: string, stale: string, aside: string): void {
  try {
    disk.renameSync(gate, aside);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw error;
  }
  if (textAt(disk, aside) !== stale) linked(disk, aside, gate);
  remove(disk, aside);
}

function lockOf(disk: Fs, path: string, mine: Holder): Lock {
  return {
    held: false,
    release() {
      if (parseHolder(textAt(disk, path) ?? "")?.mark === mine.mark) remove(disk, path);
    },
  };
}

function heldBy(holder: Holder | null): LockHeld {
  return { held: true, pid: holder?.pid ?? null, host: holder?.host ?? "" };
}

// --- who is it -------------------------------------------------------------------------------------------------------

/** This process as a holder, with a mark of its own. */
export function thisProcess(disk: Fs): Holder {
  return { ...thisLife(disk), mark: randomBytes(8).toString("hex") };
}

// --- files -----------------------------------------------------------------------------------------------------------

/** The holder that the first line of `text` tells of; null when it cannot be understood. */
export function parseHolder(text: string): Holder | null {
  const value = parseJson(text.split("\n", 1)[0] ?? "");
  if (!isObject(value)) return null;
  const { pid, start, boot, host, space, mark, memo } = value;
  // 0 and negative numbers are process groups to kill(2).
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0) return null;
  if (typeof host !== "string" || typeof mark !== "string") return null;
  const textOrNull = (field: unknown) => (typeof field === "string" ? field : null);
  const holder = { pid, start: textOrNull(start), boot: textOrNull(boot), host, space: textOrNull(space), mark };
  return isObject(memo) ? { ...holder, memo } : holder;
}

function writeDraft(disk: Fs, path: string, holder: Holder): void {
  writeText(disk, path, `${JSON.stringify(holder)}\n`);
}

function writeText(disk: Fs, path: string, text: string): void {
  const fd = disk.openSync(path, "wx", 0o600);
  try {
    disk.writeSync(fd, text);
  } catch (error) {
    remove(disk, path);
    throw error;
  } finally {
    disk.closeSync(fd);
  }
}

/** A second name for a finished file: exclusive, and nobody ever sees it half written. */
function linked(disk: Fs, from: string, to: string): boolean {
  try {
    disk.linkSync(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    if (!noLinks.has(codeOf(error) ?? "")) throw error;
  }
  try {
    writeText(disk, to, disk.readFileSync(from, "utf8"));
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** What a file system without hard links answers; there a crash in mid-write leaves a lock to be removed by hand. */
const noLinks = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

function remove(disk: Fs, path: string): void {
  try {
    disk.unlinkSync(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}
