// Where a session that is open in one process meets the terminals that have attached to it: a directory for each guest.
//   <state>/attached/<session>/<guest>/
//     life.json      who the guest is; it makes the directory and removes it
//     events.jsonl   written by the host, the process that holds the session: what happens, and what became of what the guest said
//     say-<n>.json   written by the guest as a whole; gone when the host has taken or refused it
// Invariants: 0700 and 0600, and whatever is a link or another user's is not looked at; a guest speaks to this very host, so
// what it said can never reach a later one. The session's log is not written from here: the host does that, as for its own user.

import { join } from "node:path";
import type { Event, SteerMode } from "../../core/event.js";
import type { Answer, Approval } from "../../index.js";
import type { Fs } from "../../lib/fs.js";

export type Said =
  | { n: number; mode: SteerMode; text: string }
  | { n: number; cancel: true }
  | { n: number; question: string; answer: GuestAnswer };

/** What a person may say to a question, by its id. */
export type GuestAnswer = Pick<Answer, "decision" | "feedback" | "remember">;

/** A line of events.jsonl. `taken`: it is in the log; `delivered`: the model reads it; `dropped`: its user has it back. */
export type SpoolLine =
  | { type: "hello"; session: string; root: string; model: string; pid: number; busy: boolean; said: Spoken[] }
  | { type: "event"; event: Event }
  /** It was open when the guest came. */
  | { type: "question"; question: Approval }
  | { type: "taken" | "delivered" | "dropped"; n: number }
  | { type: "refused"; n: number; text: string }
  | { type: "end"; text: string };

export interface Spoken {
  role: "user" | "assistant";
  text: string;
}

export function meetingPlace(state: string, session: string): string {
  return join(state, "attached", session);
}

export const files = { life: "life.json", events: "events.jsonl" } as const;

export function sayFile(n: number): string {
  return `say-${n}.json`;
}

/** The number of a file with something said in it. */
export function saidNumber(name: string): number | null {
  const [, digits] = /^say-([1-9]\d{0,8})\.json$/.exec(name) ?? [];
  return digits === undefined ? null : Number(digits);
}

/** A directory or file of this user that nobody else can reach, and no link to one. */
export function isOurs(disk: Fs, path: string, kind: "directory" | "file"): boolean {
  const stat = disk.lstatSync(path, { throwIfNoEntry: false });
  if (!stat || !(kind === "directory" ? stat.isDirectory() : stat.isFile())) return false;
  const me = process.getuid?.();
  return (me === undefined || Number(stat.uid) === me) && (Number(stat.mode) & 0o077) === 0;
}
