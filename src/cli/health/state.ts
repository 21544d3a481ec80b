// The state directory as `cinch doctor` sees it: sessions, what they refer to, the object store, and what dead processes left.
// Reads only.

import { dirname, join } from "node:path";
import { codeOf, messageOf } from "../../core/errors.js";
import type { Fs } from "../../lib/fs.js";
import { lookAtLock } from "../../lib/lock.js";
import { checkObjects } from "../../lib/object-check.js";
import { sizeOf, tempDirectories } from "../../lib/temp-directory.js";
import { allSessions, shortId } from "../../session/store.js";
import { type SessionReport, verifySession } from "../../session/verify.js";
import { type Finding, finding } from "./finding.js";

const mostNamed = 5;

export function checkState(disk: Fs, state: string): Finding[] {
  if (!disk.existsSync(state)) return [finding("state", "ok", `${state} is not there yet: nothing was ever kept`)];
  const reports = allSessions(disk, state).map(({ file }) => verifySession(disk, file, join(state, "spill")));
  return [directory(disk, state), ...sessions(reports), objects(disk, state), ...leftovers(disk, state, reports)];
}

function directory(disk: Fs, state: string): Finding {
  try {
    disk.accessSync(state, 2);
  } catch (error) {
    return finding(
      "state",
      "wrong",
      `${state} cannot be written: ${messageOf(error)}`,
      "Make it writable, or set CINCH_HOME.",
    );
  }
  return finding("state", "ok", `${state} can be written`);
}

function sessions(reports: readonly SessionReport[]): Finding[] {
  const wrong = reports.flatMap(({ id, problems }) =>
    problems.map(({ text, fix }) => finding("sessions", "wrong", `${shortId(id)}: ${text}`, fix)),
  );
  const whole = reports.filter(({ problems }) => problems.length === 0).length;
  const used = reports.filter(({ inUse }) => inUse).length;
  return [finding("sessions", "ok", `${whole} of ${reports.length} sessions are well, ${used} in use`), ...wrong];
}

function objects(disk: Fs, state: string): Finding {
  const { objects, damaged, litter } = checkObjects(disk, join(state, "checkpoints", "objects"));
  if (damaged.length > 0) {
    const fix =
      "Put them back from a copy of the directory. Until then undo cannot restore these contents, and says so.";
    return finding(
      "objects",
      "wrong",
      `${damaged.length} of ${objects} kept contents are damaged: ${named(damaged)}`,
      fix,
    );
  }
  if (litter.length === 0) return finding("objects", "ok", `${objects} contents are kept for undo, all whole`);
  return finding(
    "objects",
    "note",
    `unfinished writes: ${named(litter)}`,
    "They may be deleted while no session is in use.",
  );
}

/** Directories of commands in the system's temporary directory. */
export function checkTemp(disk: Fs, parent: string): Finding[] {
  const { leftOver, unknown } = tempDirectories(disk, parent);
  const sized = (path: string) => `${path} (${(sizeOf(disk, path) / 1024 / 1024).toFixed(1)} MB)`;
  const rows = [
    [
      leftOver,
      "temporary directories of commands whose Cinch was killed",
      "The next command that runs in the sandbox removes them.",
    ],
    [
      unknown,
      "temporary directories of an earlier version of Cinch",
      "Delete them while no Cinch is running: rm -r <path>.",
    ],
  ] as const;
  return rows.flatMap(([paths, what, fix]) =>
    paths.length === 0 ? [] : [finding("leftovers", "note", `${what}: ${named(paths.map(sized))}`, fix)],
  );
}

/** Locks of dead processes, drafts, and what repairs have put aside. */
function leftovers(disk: Fs, state: string, reports: readonly SessionReport[]): Finding[] {
  const found: Finding[] = [];
  const folders = [...new Set(reports.map(({ file }) => dirname(file)))];
  const inSessions = folders.flatMap((folder) => list(disk, folder).map((name) => join(folder, name)));
  const stale: string[] = [];
  for (const path of inSessions.filter((name) => name.endsWith(".lock"))) {
    const lock = lookAtLock(disk, path);
    if (lock?.gone) stale.push(path);
    else if (lock && lock.pid === null) {
      found.push(
        finding("leftovers", "wrong", `${path} does not say who holds it`, "If nobody uses that session, remove it."),
      );
    }
  }
  if (stale.length > 0) {
    const fix = "Nothing to do: whoever opens the session next takes the lock over.";
    found.push(finding("leftovers", "note", `locks of processes that are gone: ${named(stale)}`, fix));
  }
  const spill = list(disk, join(state, "spill")).map((name) => join(state, "spill", name));
  const drafts = [
    ...inSessions.filter((name) => /\.(new|takeover)$|\.lock\.\w+$/.test(name)),
    ...spill.filter((name) => name.endsWith(".part")),
  ];
  if (drafts.length > 0) {
    const fix = "They may be deleted while no session is in use.";
    found.push(finding("leftovers", "note", `files of writes that never ended: ${named(drafts)}`, fix));
  }
  const aside = reports.flatMap(({ file, aside }) => aside.map((name) => join(dirname(file), name)));
  if (aside.length > 0) {
    const fix = "Nothing needs them; look at them, then delete them.";
    found.push(finding("leftovers", "note", `kept by repairs: ${named(aside)}`, fix));
  }
  return found.length > 0 ? found : [finding("leftovers", "ok", "nothing is left of processes that are gone")];
}

function named(paths: readonly string[]): string {
  const more = paths.length > mostNamed ? ` and ${paths.length - mostNamed} more` : "";
  return `${paths.slice(0, mostNamed).join(", ")}${more}`;
}

function list(disk: Fs, folder: string): string[] {
  try {
    return disk.readdirSync(folder).sort();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}
