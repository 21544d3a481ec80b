// The family of a session: it, and the sessions of the agents that worked for it, on whatever level. What tells of a session's
// work (undo, why, export, cost, trees, deletion) reads it through here, so that all of them mean the same sessions.
// Invariant: reads only, takes no lock; whoever gave a task stands before whoever got it.

import type { Entry } from "../../core/entry.js";
import { once } from "../../lib/once.js";
import { readSession } from "../../session/index.js";
import { type SessionInfo, sessionsBelow } from "../../session/store.js";
import type { Place } from "../place.js";

type FamilyPlace = Pick<Place, "disk" | "state">;

/** Of whoever a family is asked for: a file of a session, open or not. */
export type Head = Pick<SessionInfo, "id" | "file">;

/** A session of an agent. */
export interface AgentMember {
  info: SessionInfo;
  task: string;
  agent: string;
  /** Session that gave the task. */
  above: string;
  /** Its log, read when it is first asked for. */
  read(): LogRead;
}

export interface LogRead {
  /** The intact entries, in file order. */
  entries: readonly Entry[];
  /** Lines that are damaged or not finished, from 1. */
  damaged: readonly number[];
}

/** Those that worked for this session, oldest first, as far as they can be read. `listed`: see sessionsBelow. */
export function agentsOf(at: FamilyPlace, head: Head, listed?: readonly SessionInfo[]): AgentMember[] {
  return sessionsBelow(at.disk, head, listed).flatMap((info) => {
    const { task, file, problem } = info;
    if (!task || problem !== null) return [];
    return { info, task: task.id, agent: task.agent, above: task.above, read: once(() => readLog(at, file)) };
  });
}

export function readLog({ disk, state }: FamilyPlace, file: string): LogRead {
  const lines = [...readSession(file, { fs: disk, spillDir: `${state}/spill` })];
  return {
    entries: lines.flatMap(({ entry }) => entry ?? []),
    damaged: lines.flatMap(({ entry, line }) => (entry ? [] : [line + 1])),
  };
}
