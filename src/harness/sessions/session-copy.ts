// A named fork: the path to an entry, and nothing else, as a session of its own.
// Invariants: the source is only read, without its lock, so a session in use can be forked; every id in the copy is new;
// a call whose result is not on the path gets one, so the copy never asks a provider to accept a call without a result;
// a name never becomes a path: it is the label of the new session, whose file is named by its id.

import { basename, join } from "node:path";
import type { Entry } from "../../core/entry.js";
import { UserError } from "../../core/errors.js";
import { readSession } from "../../session/index.js";
import { type NewEntry, SessionLog } from "../../session/log.js";
import { listSessions, personalDirOf } from "../../session/store.js";
import { openCalls } from "../../session/tree.js";
import type { SessionTree } from "../api/index.js";
import type { Place } from "../place.js";
import { logPorts } from "./log-ports.js";
import { lostResult } from "./lost-result.js";

export interface Copying {
  file: string;
  tree: SessionTree;
  /** The last entry of the path, by its whole id. */
  entry: string;
  /** Of the new session; null = none. */
  name: string | null;
}

/** The new session, open. @throws UserError when the name is taken or cannot be one */
export async function copyPath(place: Place, { file, tree, entry, name }: Copying): Promise<SessionLog> {
  const { disk, clock } = place;
  // Whoever forks an agent's conversation goes on in it alone.
  const dir = personalDirOf(file);
  if (name !== null) checkName(name, listSessions(disk, dir));
  const header = {
    format: "cinch-session",
    project: basename(dir),
    root: tree.root,
    created: new Date(clock.now()).toISOString(),
    parentSession: tree.session_id,
    forkOf: entry,
  } as const;
  const log = SessionLog.create({ ...logPorts(place), dir, header });
  try {
    const first = log.tree.nodes[0]?.id;
    if (name !== null && first !== undefined) log.append("label", { target: first, text: name }, first);
    const renamed = new Map<string, string>();
    for (const old of pathEntries(place, file, tree, entry)) {
      // The copy begins a context block of its own when it goes on (SPEC 1.4).
      if (old.type !== "prompt") renamed.set(old.id, copyOf(log, old, renamed));
    }
    settle(log);
    for (const { id, label } of tree.entries) {
      const target = renamed.get(id);
      if (label !== null && target !== undefined) log.append("label", { target, text: label }, target);
    }
    await log.sync();
    return log;
  } catch (error) {
    disk.rmSync(log.file, { force: true });
    await log.close();
    throw error;
  }
}

/** What `-r` and `cinch tree` can take back; no path, no option. */
const nameForm = /^[\p{L}\p{N}][\p{L}\p{N}._ -]{0,63}$/u;

function checkName(name: string, sessions: readonly { id: string; label: string | null }[]): void {
  if (!nameForm.test(name)) {
    throw new UserError(
      `${JSON.stringify(name)} cannot be the name of a session.`,
      "A name has up to 64 letters, digits, blanks and . _ - and begins with a letter or digit.",
    );
  }
  const taken = sessions.find(({ id, label }) => label === name || id === name);
  if (taken)
    throw new UserError(`There is a session ${JSON.stringify(name)} already (${taken.id}).`, "Take another name.");
}

function* pathEntries(place: Place, file: string, tree: SessionTree, end: string): Generator<Entry> {
  const parents = new Map(tree.entries.map(({ id, parent }) => [id, parent]));
  const path = new Set<string>();
  for (let id: string | null = end; id !== null; id = parents.get(id) ?? null) path.add(id);
  for (const { entry } of readSession(file, { fs: place.disk, spillDir: join(place.state, "spill") })) {
    if (entry && path.has(entry.id)) yield entry;
  }
}

function copyOf(log: SessionLog, entry: Entry, renamed: ReadonlyMap<string, string>): string {
  const { type, data } = entry;
  if (type !== "compaction") return log.appendAll([{ type, data } as NewEntry])[0]?.id ?? "";
  const [from, to] = [renamed.get(data.from) ?? data.from, renamed.get(data.to) ?? data.to];
  return log.append("compaction", { ...data, from, to }).id;
}

function settle(log: SessionLog): void {
  const open = openCalls(log.path(), { intents: [], outcomes: [] });
  const results = open.map((call): NewEntry => ({ type: "message", data: lostResult({ ...call, state: "branched" }) }));
  if (results.length > 0) log.appendAll(results);
}
