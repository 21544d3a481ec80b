// The log a session is opened on: a new one, one that goes on, or a branch of one.
// Invariant: what is branched is branched before anything else is wired, so nothing has to be forgotten; a session that is
// in use is never waited for: its branch becomes a session of its own.

import { UserError } from "../../core/errors.js";
import { SessionInUse } from "../../session/faults.js";
import { SessionLog } from "../../session/log.js";
import {
  agentDirOf,
  newest,
  projectKey,
  resolveSession,
  type SessionInfo,
  sessionDir,
  shortId,
} from "../../session/store.js";
import type { OpenOptions } from "../api/index.js";
import { loadBranching } from "../lazy.js";
import type { Place } from "../place.js";
import type { Child } from "../tasks/kin.js";
import { logPorts } from "./log-ports.js";

export interface OpenedLog {
  log: SessionLog;
  /** What the user should know, one sentence each. */
  notices: string[];
}

/** `child`: it works on a task. Its log is beside those of sessions that a person began, so that none of them is mistaken for it. */
export function newLog(place: Place, child?: Child): SessionLog {
  const { clock, root, state } = place;
  const header = {
    format: "cinch-session",
    project: projectKey(root),
    root,
    created: new Date(clock.now()).toISOString(),
    ...(child ? { parentSession: child.above.session, task: child.task, agent: child.agent.name } : {}),
  } as const;
  const dir = child ? agentDirOf(child.above.file) : sessionDir(state, projectKey(root));
  const id = child?.session === undefined ? {} : { id: child.session };
  return SessionLog.create({ ...logPorts(place), ...id, dir, header });
}

/** @throws UserError when there is no such session or entry, or the session is in use and not branched */
export async function oldLog(place: Place, { resume = true, fork }: OpenOptions): Promise<OpenedLog> {
  const newest = found(place, resume);
  const named = typeof resume === "string";
  const info = fork === undefined || named ? newest : (await loadBranching()).sessionWith(place, newest, fork);
  const open = () => SessionLog.open({ ...logPorts(place), file: info.file });
  return fork === undefined ? { log: open(), notices: [] } : await branched(place, info, fork, open);
}

async function branched(
  place: Place,
  { id, file }: SessionInfo,
  fork: string,
  open: () => SessionLog,
): Promise<OpenedLog> {
  const { copyPath, findEntry, treeOf } = await loadBranching();
  const tree = treeOf(place, id, file);
  const entry = findEntry(tree.entries, fork).id;
  try {
    const log = open();
    if (log.head !== entry) log.append("head", { target: entry });
    return { log, notices: [] };
  } catch (error) {
    if (!(error instanceof SessionInUse)) throw error;
    const log = await copyPath(place, { file, tree, entry, name: null });
    return { log, notices: [`Session ${shortId(id)} is in use; this branch is a session of its own, ${log.id}.`] };
  }
}

function found({ disk, state, root }: Place, resume: string | true): SessionInfo {
  const project = projectKey(root);
  if (resume !== true) return resolveSession(disk, state, project, resume);
  const info = newest(disk, sessionDir(state, project));
  if (!info) throw new UserError(`There is no session of ${root} to continue.`, "Start one without -c.");
  return info;
}
