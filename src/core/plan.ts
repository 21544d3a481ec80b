// A plan is what one call would do, worked out by reading only (SPEC 1.1).
// Invariant: `prepare` makes the plan and raises every refusal; what is decided and approved is the plan;
// `apply` re-checks `digest`'s premises and does exactly that. So nobody approves what is then refused.

import type { CommandAnalysis } from "./command.js";

/** What a plan can do to the world. `effect` belongs to the plan, not to the tool: a shell command may be a read. */
export type Effect = "read" | "write" | "exec" | "net" | "ask" | "spawn";

export interface Plan<Data = unknown> {
  effect: Effect;
  /** Canonical absolute paths the plan reads or writes. */
  paths: readonly string[];
  /** Other names of these paths: as given, and at each link on the way. A rule that tightens may mean any of them. */
  names?: readonly string[];
  /** One line for a person: what will happen, with the names of the things. */
  summary: string;
  view: View;
  /** Hash over everything that `apply` will do; approvals are bound to it. */
  digest: string;
  /** All files it changes, with the hash of each before and after; absent = that is not known beforehand. */
  files?: readonly { path: string; before: string | null; after: string | null }[];
  /** What is known of the shell command it runs. */
  command?: CommandAnalysis;
  /** What it starts goes on when Cinch has ended. */
  survives?: true;
  /** It writes only the beginning of what was meant, as far as this whole line. */
  cut?: { lines: number; last: string };
  /** For the tool's own `apply`. */
  data: Data;
}

/** Begins the item of a pinned list that is under way. */
export const underWay = "[>]";

/** How a result or plan is shown. Front ends render these six, never a particular tool. */
export type View =
  | { type: "text"; text: string }
  | { type: "diff"; path: string; diff: string }
  /** `pinned`: the newest of these stays in sight. */
  | { type: "list"; items: string[]; more?: number; pinned?: true }
  | { type: "table"; head: string[]; rows: string[][] }
  | { type: "terminal"; command: string; output: string; exit: number | null }
  | { type: "task"; id: string; kind: string; state: string; title: string };

/** One changed (or, with equal hashes, one seen) path. sha256 hex, or null for "absent". */
export interface FileChange {
  path: string;
  before: string | null;
  after: string | null;
  /**
   * Kind and permissions as st_mode has them (null = absent), where the hashes do not say it all: a mode that changed,
   * a link (its content is its target), a directory (its content is empty).
   */
  mode?: { before: number | null; after: number | null };
  /** Its content was not kept, so undo cannot bring it back. `gone`: what was at this name is not there any more. */
  uncovered?: "gone" | "changed";
  /** Nothing tells whether this call did it or somebody else: its process was killed, or others worked beside it. */
  unsure?: true;
  /** In a result: who changed it, as ids of tasks, and `main` for the session itself. Absent: the session itself alone. */
  agents?: readonly string[];
  /** Found after a command: that has done it, or somebody who worked beside it. */
  byCommand?: true;
  /** The model was not shown the content after. */
  unseen?: true;
  /** The lines of the content after that the model knows (from, to, both included), when not all. */
  lines?: readonly (readonly [number, number])[];
  /** Deleted as far as the model knows; done with the next write there, or at the end of the run at the latest. */
  held?: true;
}

/** Is this about a directory itself, before and after? */
export function isDirectoryChange({ mode }: FileChange): boolean {
  const kinds = [mode?.before, mode?.after].filter((each) => typeof each === "number");
  return kinds.length > 0 && kinds.every((each) => (each & 0o170000) === 0o040000);
}

interface Called {
  path: string;
  names?: readonly string[];
}

/** A read-only plan that carries nothing but its data. */
export function readPlan<Data>(summary: string, places: readonly (string | Called)[], data: Data): Plan<Data> {
  return { effect: "read", ...pathsOf(places), summary, view: { type: "text", text: summary }, digest: "", data };
}

/** What a plan says of the places it is about. */
export function pathsOf(places: readonly (string | Called)[]): Pick<Plan, "paths" | "names"> {
  const called = places.map((place) => (typeof place === "string" ? { path: place } : place));
  const names = called.flatMap((place) => place.names ?? []);
  return { paths: called.map(({ path }) => path), ...(names.length > 0 ? { names } : {}) };
}
