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
  /** Intact entries in file order; read when they are first asked for. */
  entries(): readonly Entry[];
}

/** Those that worked for this session, oldest first, as far as they can be read. `listed`: see sessionsBelow. */
export function agentsOf(at: FamilyPlace, head: Head, listed?: readonly SessionInfo[]): AgentMember[] {
  return sessionsBelow(at.disk, head, listed).flatMap((info) => {
    const { task, file, problem } = info;
    if (!task || problem !== null) return [];
    return { info, task: task.id, agent: task.agent, above: task.above, entries: once(() => entriesIn(at, file)) };
  });
}

/** The intact entries of a session's file. */
export function entriesIn({ disk, state }: FamilyPlace, file: string): Entry[] {
  return [...readSession(file, { fs: disk, spillDir: `${state}/spill` })].flatMap(({ entry }) => entry ?? []);
}
