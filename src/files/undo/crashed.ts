// What a call did that never came to its end because the process was killed: the state before it, from the log, against
// the disk as it is now. Invariant: reads the project and keeps what it reads; changes nothing.
// What a file tool or an undo was about to leave is in its checkpoint. Of a command nothing is known but what was there
// before: whatever differs now is listed with a doubt, since nobody looked when it ended.

import type { Entry } from "../../core/entry.js";
import type { Fs } from "../../lib/fs.js";
import { parseJson } from "../../lib/json.js";
import type { ObjectStore } from "../../lib/object-store.js";
import { parent, within } from "../../lib/paths.js";
import { ProjectIndex } from "../journal/scan.js";
import { fileKind, isDirectory } from "../mode.js";
import { type State, type Step, type StepChange, undoNote, unsure } from "./history.js";
import { PresentFiles } from "./present.js";

export interface CrashGround {
  disk: Fs;
  root: string;
  skip: readonly string[];
  objects: ObjectStore;
  clock: { now(): number; mono(): number };
  /** Gets the contents that a command may have left. */
  found?(bytes: Buffer): void;
}

interface Open {
  call: string;
  tool: string;
  turn: string | null;
  entry: string;
  seq: number;
  time: number;
  /** Only its checkpoint's paths can have changed. */
  known: boolean;
}

/** The newest call without an outcome, as a step; null when every call came to its end. */
export async function crashedStep(entries: readonly Entry[], ground: CrashGround): Promise<Step | null> {
  const open = openCall(entries);
  if (!open) return null;
  const { call, tool, turn, entry, seq, time } = open;
  const found = open.known ? await announced(entries, call, ground) : await differing(entries, ground, time);
  return { call, tool, agent: "main", entry, turn, seq, time, ...found };
}

type Found = Pick<Step, "changes" | "uncovered">;

/** What the checkpoint of the call says it was about to do, as far as it did anything. */
async function announced(entries: readonly Entry[], call: string, { disk }: CrashGround): Promise<Found> {
  const own = new Map<string, StepChange & { told: boolean }>();
  for (const entry of entries) {
    if (entry.type !== "checkpoint" || entry.data.call !== call) continue;
    for (const { path, before, mode, after } of entry.data.blobs) {
      const first = own.get(path)?.before;
      const old = before === null ? null : { hash: before, mode: withKind(mode) };
      const then = after && { hash: after.hash, mode: after.mode ?? old?.mode ?? null };
      own.set(path, { path, before: first ?? old, after: then ?? null, told: after !== undefined });
    }
  }
  const present = new PresentFiles(disk);
  await present.look(own.keys());
  const changes = [...own.values()].flatMap(({ told, ...change }): StepChange[] => {
    const now = present.at(change.path);
    if (typeof now === "string" || isSame(change.before, now)) return [];
    if (told) return [change];
    // A directory on the way to a new file; or the log of an older version.
    const directory = now?.mode != null && isDirectory(now.mode);
    return [{ ...change, after: now, ...(directory ? {} : { doubt: unsure }) }];
  });
  return { changes, uncovered: [] };
}

/** Everything that differs from the state before the call. */
async function differing(entries: readonly Entry[], ground: CrashGround, time: number): Promise<Found> {
  const before = stateBefore(entries, ground.objects);
  // Nothing was looked at yet, so the command had not begun.
  if (!before) return { changes: [], uncovered: [] };
  const paths = await everyPath(before, ground, time);
  const present = new PresentFiles(ground.disk);
  await present.look(paths);
  const found: Found = { changes: [], uncovered: [] };
  for (const path of paths) {
    const [old, now] = [before.get(path) ?? null, present.at(path)];
    if (old === "unkept" || isInUnkept(before, path)) {
      // A directory that nobody looked into, and that is still there, is judged by what is in it.
      if (now === null || typeof now === "string" || now.mode === null || !isDirectory(now.mode))
        found.uncovered.push(path);
    } else if (typeof now !== "string" && !isSame(old, now)) {
      found.changes.push({ path, before: old, after: now, doubt: unsure });
      const bytes = now && present.content(now.hash);
      if (bytes) ground.found?.(bytes);
    }
  }
  return found;
}

/** Below something that was there and was not looked into. */
function isInUnkept(before: Before, path: string): boolean {
  for (let at = parent(path); at !== "/"; at = parent(at)) if (before.get(at) === "unkept") return true;
  return false;
}

function isSame(old: State | null, now: State | null): boolean {
  return old?.hash === now?.hash && (old?.mode === now?.mode || old?.mode == null);
}

function withKind(mode: number | null): number | null {
  return mode === null || mode > 0o7777 ? mode : mode | fileKind;
}

function openCall(entries: readonly Entry[]): Open | null {
  let open: Open | null = null;
  /** Deletions that wait for their write, by call: they are done later, when the call has its outcome. */
  const held = new Map<string, Pick<Open, "tool" | "turn">>();
  for (const { id, seq, time, parent, type, data } of entries) {
    if (type === "outcome" && data.files.some((file) => file.held))
      held.set(data.call, { tool: data.tool, turn: parent });
    else if (type === "outcome") held.delete(data.call);
    const late = type === "checkpoint" ? held.get(data.call) : undefined;
    if (late && type === "checkpoint") open = { call: data.call, ...late, entry: id, seq, time, known: true };
    else if (type === "intent") {
      const known = data.effect !== "exec";
      open = { call: data.call, tool: data.tool, turn: parent, entry: id, seq, time, known };
    } else if (type === "note" && data.code === undoNote) {
      open = { call: `undo_${id}`, tool: undoNote, turn: null, entry: id, seq, time, known: true };
    } else if ((type === "outcome" && data.call === open?.call) || (type === "message" && answers(data, open))) {
      open = null;
    }
  }
  return open;
}

/** A call that went well and changed nothing has no outcome. (One whose end was lost gets a result too, an error.) */
function answers(data: Entry<"message">["data"], open: Open | null): boolean {
  return data.parts.some((part) => part.type === "result" && part.callId === open?.call && !part.isError);
}

type Before = Map<string, State | "unkept">;

/** Null when no command of the session has begun. */
function stateBefore(entries: readonly Entry[], objects: ObjectStore): Before | null {
  let known: Before = new Map();
  let looked = false;
  for (const entry of entries) {
    if (entry.type === "checkpoint") {
      if (entry.data.tree !== undefined) known = treeOf(objects.get(entry.data.tree));
      looked ||= entry.data.tree !== undefined;
      for (const { path, before, mode } of entry.data.blobs) {
        if (before === null) known.delete(path);
        else known.set(path, { hash: before, mode: withKind(mode) });
      }
    } else if (entry.type === "outcome") {
      for (const { path, after, mode, uncovered } of entry.data.files) {
        const last = known.get(path);
        if (uncovered && mode?.after != null) known.set(path, "unkept");
        else if (after === null) known.delete(path);
        else known.set(path, { hash: after, mode: mode?.after ?? (last && last !== "unkept" ? last.mode : null) });
      }
    }
  }
  return looked ? known : null;
}

function treeOf(bytes: Buffer | undefined): Before {
  const known: Before = new Map();
  for (const line of (bytes?.toString() ?? "").split("\n")) {
    const row = parseJson(line);
    if (!Array.isArray(row)) continue;
    const [path, mode, hash] = row as [string, number, string | null];
    known.set(path, hash === null ? "unkept" : { hash, mode });
  }
  return known;
}

/** Time stamps of files may lag behind the clock by this much. */
const tickMs = 20;

/** What was there and is not, what was made or touched since, and what lies in a directory that was not there. */
async function everyPath(before: Before, { disk, root, skip, clock }: CrashGround, since: number) {
  const index = new ProjectIndex({
    disk,
    bases: basesOf(before, root),
    skip,
    // Contents are read later, and only of what changed.
    take: async () => "",
    excluded: () => {},
    clock,
    most: Number.POSITIVE_INFINITY,
  });
  await index.scan();
  const gone = [...before.keys()].filter((path) => !index.entries.has(path));
  const old = directoriesOf(before.keys());
  const moved = new Set<string>();
  const young: string[] = [];
  for (const [path, known] of index.entries) {
    const inMoved = moved.has(parent(path));
    const fresh = known.ctime >= since - tickMs;
    if (inMoved || fresh) young.push(path);
    if (isDirectory(known.mode) && !before.has(path) && !old.has(path) && (inMoved || fresh)) moved.add(path);
  }
  return new Set([...gone, ...young]);
}

/** What was looked at before the call: the project, and what was added to it, as far as anything is in there. */
function basesOf(before: Before, root: string): string[] {
  const tops = new Set([root]);
  for (const path of before.keys()) if (!before.has(parent(path))) tops.add(parent(path));
  return [...tops].filter((top) => ![...tops].some((other) => other !== top && within(other, top)));
}

function directoriesOf(paths: Iterable<string>): Set<string> {
  const found = new Set<string>();
  for (const path of paths) {
    for (let at = parent(path); at !== "/" && !found.has(at); at = parent(at)) found.add(at);
  }
  return found;
}
