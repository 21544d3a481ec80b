// Branching an open session at an entry: the head moves there, the files go with it if that was asked for.
// Invariant: nothing moves while a file cannot be restored without losing somebody's change; entries are only added.
// Copying a path to a session of its own is session-copy.ts's; what a running session forgets then is open.ts's.

import { UserError } from "../../core/errors.js";
import { shownPath } from "../../lib/paths.js";
import { glance } from "../../session/glance.js";
import type { SessionLog } from "../../session/log.js";
import { readOutline } from "../../session/outline.js";
import { listSessions, projectKey, type SessionInfo, sessionDir } from "../../session/store.js";
import type { Fork, ForkOptions, SessionTree } from "../api/index.js";
import type { Place } from "../place.js";
import { type PlannedUndo, planUndoOf, type UndoLog } from "../undo/undo.js";
import { agentsOf } from "./family.js";
import { findEntry, fittingEntries } from "./find-entry.js";

/** An open session, or the part of one that is needed here. */
export type BranchLog = UndoLog & Pick<SessionLog, "head">;

export interface Branching {
  /** A whole id; null = to before the first entry. */
  entry: string | null;
  what: NonNullable<ForkOptions["what"]>;
}

/** @throws UserError (exit 1) when files were changed since in ways that cannot be kept */
export async function branch(place: Place, log: BranchLog, { entry, what }: Branching): Promise<Fork> {
  const files = what === "conversation" || entry === null ? [] : await putFilesBack(place, log, entry, what === "both");
  // Also where it stands already: this is the session that the user turned to last.
  if (what !== "files") log.append("head", { target: entry });
  await log.sync();
  return { session_id: log.id, head: log.head, name: null, files, draft: null };
}

/** The files as they were at an entry. `untold`: the conversation goes there too, so the model need not hear of it. */
export async function putFilesBack(place: Place, log: UndoLog, at: string, untold: boolean): Promise<Fork["files"]> {
  const planned = await planUndoOf(place, log, untold ? { at, untold } : { at });
  const { items, conflicts } = planned.plan;
  if (conflicts.length > 0) throw inTheWay(planned);
  if (items.length > 0) await planned.apply();
  return items.map(({ path, action }) => ({ path, action }));
}

function inTheWay({ plan, root }: PlannedUndo): UserError {
  const paths = plan.conflicts.map(({ path, why }) => `${shownPath(root, path)} ${why}`);
  return new UserError(
    `The files cannot be put back; nothing was changed: ${paths.join("; ")}.`,
    "Without the files the conversation can be branched all the same.",
    1,
  );
}

const longestLabel = 80;

/** Names an entry, or takes its name away. Returns its id. */
export async function label(log: UndoLog, tree: SessionTree, query: string, text: string): Promise<string> {
  const { id } = findEntry(tree.entries, query);
  const name = text.trim();
  if (/[\u0000-\u001f\u007f-\u009f]/.test(name) || name.length > longestLabel) {
    throw new UserError(`A label is one line of at most ${longestLabel} characters.`);
  }
  log.append("label", { target: id, text: name === "" ? null : name }, id);
  await log.sync();
  return id;
}

/** The session that an entry is in when none was named: `first`, or the only other one of the project that has it. */
export function sessionWith(place: Place, first: SessionInfo, query: string): SessionInfo {
  const has = ({ id, file }: SessionInfo) => fittingEntries(treeOf(place, id, file).entries, query).length > 0;
  if (has(first)) return first;
  const others = listSessions(place.disk, sessionDir(place.state, projectKey(place.root))).filter((info) => {
    return info.id !== first.id && info.problem === null && has(info);
  });
  if (others.length <= 1) return others[0] ?? first;
  const names = others.map(({ id }) => id).join(", ");
  throw new UserError(
    `${JSON.stringify(query)} fits entries of ${others.length} sessions: ${names}.`,
    "Name the session: -r <id>, or --session <id> for a subcommand.",
  );
}

/** Reads a session's file; takes no lock. */
export function treeOf({ disk, state }: Pick<Place, "disk" | "state">, session: string, file: string): SessionTree {
  const {
    header,
    label: name,
    head,
    entries,
    damaged,
    lost,
  } = readOutline(file, {
    fs: disk,
    spillDir: `${state}/spill`,
  });
  return {
    session_id: session,
    label: name,
    root: header?.root ?? "",
    parent_session: header?.parentSession ?? null,
    fork_of: header?.forkOf ?? null,
    head,
    entries,
    agents: agentsOf({ disk, state }, { id: session, file }).map(({ info, above, task, agent }) => {
      return { session_id: info.id, above, task, agent, prompt: glance(disk, info).prompt };
    }),
    damaged,
    lost,
  };
}
