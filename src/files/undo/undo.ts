// What taking steps back would do to the files as they are now. Pure: the present and the contents are handed in.
// Invariant: steps are undone newest first, each against what it left behind. Where the file is no longer that, somebody
// changed it since: their change stays, by a three-way merge, or the path is a conflict; nothing is ever guessed.

import { sha256 } from "../../lib/hash.js";
import { fileKind, isDirectory, isFile, permissions } from "../mode.js";
import type { State, Step, StepChange } from "./history.js";
import { mergeBytes } from "./merge.js";
import type { Found } from "./present.js";

export interface UndoItem {
  path: string;
  from: State | null;
  to: State | null;
  /** `merge`: with changes made since, which stay. */
  action: "restore" | "delete" | "merge" | "mode";
}

export interface Conflict {
  path: string;
  /** The call whose change cannot be taken back. */
  call: string;
  why: string;
  /** It can be taken back, but whether it should be is for the user to say. */
  doubt?: true;
}

export interface UndoPlan {
  /** By path. */
  items: UndoItem[];
  conflicts: Conflict[];
  /** Contents that merges made, by hash. */
  merged: ReadonlyMap<string, Buffer>;
  /** Changed as well, and cannot be brought back: it was not kept. */
  uncovered: string[];
}

export interface Present {
  /** What is at a path now. */
  at(path: string): Found["state"];
  /** A content, of the present or of the past, by hash. */
  content(hash: string): Buffer | undefined;
}

export interface UndoWish {
  /** Paths to leave alone answer false. */
  wanted?: (path: string) => boolean;
  /** Changes that may be somebody else's are taken back as well. */
  sure?: boolean;
}

/** `steps` in the order they were done. */
export function planUndo(
  steps: readonly Step[],
  present: Present,
  { wanted = () => true, sure = false }: UndoWish = {},
): UndoPlan {
  const merged = new Map<string, Buffer>();
  const content = (hash: string) => merged.get(hash) ?? present.content(hash);
  const items: UndoItem[] = [];
  const conflicts: Conflict[] = [];
  for (const [path, changes] of byPath(steps, wanted)) {
    const from = presentState(present.at(path), changes[0]);
    if (typeof from === "string") {
      conflicts.push({ path, call: changes[0]?.call ?? "", why: from });
      continue;
    }
    const keep = (hash: string, bytes: Buffer) => merged.set(hash, bytes);
    const result = goBack(from, changes, { content, keep, sure });
    if ("why" in result) conflicts.push({ path, ...result });
    else if (!sameState(from, result.to)) items.push({ path, from, to: result.to, action: actionOf(from, result) });
  }
  const uncovered = [...new Set(steps.flatMap((step) => step.uncovered))].filter(wanted).sort();
  return { items: items.sort(byName), conflicts: conflicts.sort(byName), merged, uncovered };
}

/** A sentence when nobody can say what is there. */
function presentState(found: Found["state"], newest: StepChange | undefined): State | null | string {
  if (found === "special") return "is no regular file now";
  if (found !== "hidden") return found;
  // Made unreadable by the change that is taken back, which did nothing else: its content is not needed.
  const { before, after } = newest ?? {};
  const only = before && after && before.hash === after.hash && before.mode !== after.mode;
  return only ? after : "cannot be looked at (permission denied)";
}

type Named = StepChange & { call: string };

/** Newest change of each path first. */
function byPath(steps: readonly Step[], wanted: (path: string) => boolean): Map<string, Named[]> {
  const paths = new Map<string, Named[]>();
  for (const { call, changes } of [...steps].reverse()) {
    for (const change of changes) {
      if (!wanted(change.path)) continue;
      const list = paths.get(change.path) ?? [];
      list.push({ ...change, call });
      paths.set(change.path, list);
    }
  }
  return paths;
}

type Content = (hash: string) => Buffer | undefined;

interface Ground {
  content: Content;
  keep(hash: string, bytes: Buffer): void;
  sure: boolean;
}

function goBack(
  from: State | null,
  changes: readonly Named[],
  { content, keep, sure }: Ground,
): { to: State | null; merged: boolean } | Omit<Conflict, "path"> {
  let to = from;
  let merged = false;
  for (const change of changes) {
    const { call, before, after, doubt } = change;
    if (doubt !== undefined && !sure && !sameState(to, before)) return { call, why: doubt, doubt: true };
    if (sameContent(to, after)) to = asBefore(to, change);
    else if (!sameContent(to, before)) {
      const result = mergeStep(to, change, content);
      if (typeof result === "string") return { call, why: result };
      const hash = sha256(result.bytes);
      keep(hash, result.bytes);
      to = { hash, mode: asBefore(to, change)?.mode ?? to?.mode ?? null };
      merged = true;
    }
  }
  if (to && !isDirectoryState(to) && !sameContent(from, to) && !content(to.hash)) {
    return { call: changes.at(-1)?.call ?? "", why: "has an older content that was not kept" };
  }
  return { to, merged };
}

/** The state before a change, with permissions that somebody else set since. */
function asBefore(now: State | null, { before, after }: StepChange): State | null {
  if (!before || !now || !after) return before;
  const own = now.mode === null || after.mode === null || permissions(now.mode) === permissions(after.mode);
  return { hash: before.hash, mode: own ? (before.mode ?? now.mode) : now.mode };
}

/** A sentence when it cannot be done. */
function mergeStep(now: State | null, { before, after }: StepChange, content: Content): { bytes: Buffer } | string {
  if (!now) return before ? "was deleted since" : "is gone already";
  if (!after) return "was made anew since it was deleted";
  if (!before) return "was changed since it was created";
  if (![now, before, after].every((state) => state.mode === null || isFile(state.mode)))
    return "is of another kind now";
  const [base, ours, theirs] = [content(after.hash), content(now.hash), content(before.hash)];
  if (!base || !ours || !theirs) return "was changed since, and an older content was not kept";
  const bytes = mergeBytes(base, ours, theirs);
  return bytes ? { bytes } : "was changed since in the same lines";
}

function kindOf({ mode }: State): number {
  return (mode ?? fileKind) & 0o170000 || fileKind;
}

function isDirectoryState({ mode }: State): boolean {
  return mode !== null && isDirectory(mode);
}

function sameContent(a: State | null, b: State | null): boolean {
  if (!a || !b) return a === b;
  return a.hash === b.hash && kindOf(a) === kindOf(b);
}

function sameState(a: State | null, b: State | null): boolean {
  if (!sameContent(a, b)) return false;
  if (!a || !b || a.mode === null || b.mode === null) return true;
  return kindOf(a) !== fileKind && !isDirectoryState(a) ? true : permissions(a.mode) === permissions(b.mode);
}

function actionOf(from: State | null, { to, merged }: { to: State | null; merged: boolean }): UndoItem["action"] {
  if (!to) return "delete";
  if (from && sameContent(from, to)) return "mode";
  return merged ? "merge" : "restore";
}

function byName(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : 1;
}
