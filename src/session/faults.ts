// What goes wrong around a session file, in sentences for the user: in use, no place for it, disk full.
// Invariant: only faults of the world become UserErrors; a bug passes through unchanged, with its stack.

import { codeOf, messageOf, Unrecorded, UserError } from "../core/errors.js";
import type { Fs } from "../lib/fs.js";
import { JsonlError, type JsonlFault } from "../lib/jsonl.js";
import { acquireLock, type Lock } from "../lib/lock.js";
import { doubtOf } from "./recover.js";
import { lockFile, shortId } from "./store.js";

/** The session id that a file name stands for. */
export function idOfFile(file: string): string {
  const name = file.slice(file.lastIndexOf("/") + 1);
  return name.endsWith(".jsonl") ? name.slice(0, -".jsonl".length) : name;
}

/** Somebody else has the lock of a session. */
export class SessionInUse extends UserError {}

/** @throws SessionInUse naming the process that has the session; UserError when it cannot be told */
export function takeLock(disk: Fs, file: string, id: string): Lock {
  const path = lockFile(file);
  const lock = acquireLock(disk, path);
  if (!lock.held) return lock;
  if (lock.pid === null) {
    throw new UserError(
      `session ${shortId(id)} is locked, and ${path} does not say by whom`,
      `If nobody uses it, remove ${path}.`,
      1,
    );
  }
  throw new SessionInUse(
    `session ${shortId(id)} is in use by process ${lock.pid} on ${lock.host}`,
    "Wait until that process has ended, start a new session, or branch off this one with --fork <entry>. " +
      `If there is no such process any more, remove ${path}.`,
    1,
  );
}

/** For a prefix that several entries begin with. */
export function ambiguous(prefix: string, candidates: readonly { id: string; type: string }[]): UserError {
  const shown = candidates.slice(0, 8).map((node) => `${node.id} (${node.type})`);
  const more = candidates.length > shown.length ? `, and ${candidates.length - shown.length} more` : "";
  return new UserError(
    `"${prefix}" is the start of several entries: ${shown.join(", ")}${more}`,
    "Give more of the id.",
  );
}

/** For a session that cannot be created. */
export function cannotKeep(error: unknown, dir: string, id: string): unknown {
  if (error instanceof UserError) return error;
  if (codeOf(error) === "EEXIST") return new UserError(`there is a session ${id} already`, undefined, 1);
  if (!isFault(error)) return error;
  const fix = "Make the directory writable, or set CINCH_HOME to one that is.";
  return new UserError(`sessions cannot be kept in ${dir}: ${messageOf(error)}`, fix, 1);
}

/** For a session that cannot be opened. */
export function cannotOpen(error: unknown, file: string): unknown {
  if (error instanceof UserError || !isFault(error)) return error;
  if (codeOf(error) === "ENOENT") return new UserError(`there is no session file ${file}`, undefined, 1);
  if (codeOf(error) === "ELOOP") return new UserError(`${file} is a link, not a session file`, undefined, 1);
  const fix = "See that its directory can be written; `cinch tree` and `cinch export` only read.";
  return new UserError(`the session in ${file} cannot be opened: ${messageOf(error)}`, fix, 1);
}

/** For a session that cannot be deleted, or only in part. */
export function cannotDelete(error: unknown, id: string): unknown {
  if (error instanceof UserError || !isFault(error)) return error;
  const fix = "See that its directory can be written, and delete it again: what is left of it is still there.";
  return new UserError(`session ${shortId(id)} could not be deleted: ${messageOf(error)}`, fix, 1);
}

/** For an entry that did not get into the log; bugs are handed back as they are. */
export function cannotWrite(error: unknown): unknown {
  if (!isFault(error)) return error;
  const text = `the session log cannot be written: ${messageOf(error)}.`;
  return new Unrecorded(text, wayOn[kindOf(error)], 1);
}

/** The same after a barrier; when the disk failed, word is left for the next opening that this file cannot be relied on. */
export function cannotSync(disk: Fs, file: string, error: unknown): unknown {
  if (!(error instanceof JsonlError && error.kind === "sync")) return cannotWrite(error);
  try {
    disk.closeSync(disk.openSync(doubtOf(file), "w", 0o600));
    return cannotWrite(error);
  } catch (failure) {
    return cannotWrite(
      new JsonlError("io", `${error.message}; nothing can be written beside it: ${messageOf(failure)}`),
    );
  }
}

const wayOn: Record<JsonlFault, string> = {
  full: "Free some space and go on: everything before this is kept.",
  changed: "Nothing more was done. Start a new session, or put the file back and resume it.",
  io: "Nothing more was done. Resume the session to go on with what is kept.",
  sync: "Nothing more was done. Check the disk, then resume the session: its log is written anew, and the old file kept.",
};

function kindOf(error: unknown): JsonlFault {
  if (error instanceof JsonlError) return error.kind;
  return codeOf(error) === "ENOSPC" || codeOf(error) === "EDQUOT" ? "full" : "io";
}

/** A fault of the world: ours, or a system error. ERR_… are Node's complaints about our own calls. */
function isFault(error: unknown): boolean {
  return error instanceof JsonlError || /^E(?!RR_)/.test(codeOf(error) ?? "");
}
