// A small file of decisions that the user has made, kept in a directory of Cinch's own.
// Invariants: 0600 in a 0700 directory; replaced as a whole under a lock, so two processes that decide at once both count;
// a file that another user could have written says nothing; a damaged one is put aside, never overwritten.
// What stands in it is its owner's business.

import { codeOf, UserError } from "../core/errors.js";
import { replaceFile } from "./atomic-file.js";
import type { Fs } from "./fs.js";
import { acquireLock, type Lock } from "./lock.js";
import { parent } from "./paths.js";

export interface KeptText {
  /** "" when there is no such file. */
  text: string;
  /** Why a file that is there does not count, in one sentence. */
  fault?: string;
}

const maxBytes = 4 * 1024 * 1024;

/** What the file says; never throws. */
export function readKept(disk: Fs, path: string): KeptText {
  try {
    const stat = disk.lstatSync(path, { throwIfNoEntry: false });
    if (!stat) return { text: "" };
    const fault = distrust(stat);
    if (fault) return { text: "", fault: `${path} is ignored: ${fault}.` };
    return { text: disk.readFileSync(path, "utf8") };
  } catch (error) {
    return codeOf(error) === "ENOENT"
      ? { text: "" }
      : { text: "", fault: `${path} cannot be read (${codeOf(error)}).` };
  }
}

function distrust(stat: NonNullable<ReturnType<Fs["lstatSync"]>>): string | null {
  const me = process.getuid?.();
  if (!stat.isFile()) return "it is not a regular file";
  if (me !== undefined && Number(stat.uid) !== me) return "it belongs to another user";
  if ((Number(stat.mode) & 0o022) !== 0) return "others may write to it (chmod 600 mends that)";
  return stat.size > maxBytes ? "it is too long" : null;
}

/**
 * Changes the file: `change` gets what it says and returns what it shall say, or null to leave it.
 * Throws UserError when the file does not count or another process keeps its lock.
 */
export async function changeKept(disk: Fs, path: string, change: (text: string) => string | null): Promise<void> {
  disk.mkdirSync(parent(path), { recursive: true, mode: 0o700 });
  const lock = await lockOn(disk, `${path}.lock`);
  try {
    const { text, fault } = readKept(disk, path);
    if (fault) throw new UserError(`${fault} Nothing was changed.`, "Mend or remove the file, then try again.", 1);
    const next = change(text);
    if (next !== null) await replaceFile(disk, path, next, { mode: 0o600 });
  } finally {
    lock.release();
  }
}

/** Moves a damaged file out of the way; returns where to. */
export function putAside(disk: Fs, path: string, now: number): string {
  const aside = `${path}.damaged-${now}`;
  disk.renameSync(path, aside);
  return aside;
}

/** Whoever holds it needs it for some milliseconds. */
async function lockOn(disk: Fs, path: string): Promise<Lock> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const lock = acquireLock(disk, path);
    if (!lock.held) return lock;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new UserError(
    `${path} is held by another process. Nothing was changed.`,
    "Try again; remove it if no Cinch runs.",
    1,
  );
}
