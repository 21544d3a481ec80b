// What a call did that never came to its end because the process was killed: the state before it, from the log, against
// the disk as it is now. Invariant: reads the project and keeps what it reads; changes nothing.
// Whatever changed between the crash and now counts as the call's, since nothing can tell it apart.

import type { Entry } from "../core/entry.js";
import type { Fs } from "../lib/fs.js";
import { parseJson } from "../lib/json.js";
import type { ObjectStore } from "../lib/object-store.js";
import { type State, type Step, type StepChange, undoNote } from "./history.js";
import { fileKind } from "./mode.js";
import { PresentFiles } from "./present.js";
import { ProjectIndex } from "./scan.js";

export interface CrashGround {
  disk: Fs;
  root: string;
  skip: readonly string[];
  objects: ObjectStore;
  clock: { now(): number; mono(): number };
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
  const before = stateBefore(entries, ground.objects);
  const own = entries.flatMap((entry) =>
    entry.type === "checkpoint" && entry.data.call === open.call ? entry.data.blobs.map(({ path }) => path) : [],
  );
  const paths = open.known ? new Set(own) : await everyPath(before, ground, open.time);
  const present = new PresentFiles(ground.disk);
  await present.look(paths);
  const changes = [...paths].flatMap((path): StepChange[] => {
    const [old, now] = [before.get(path) ?? null, present.at(path)];
    if (now === "special" || old === "unkept") return [];
    if (old?.hash === now?.hash && (old?.mode === now?.mode || old?.mode == null)) return [];
    return [{ path, before: old, after: now }];
  });
  const { call, tool, turn, entry, seq, time } = open;
  return { call, tool, agent: "main", entry, turn, seq, time, changes };
}

function openCall(entries: readonly Entry[]): Open | null {
  let open: Open | null = null;
  for (const { id, seq, time, parent, type, data } of entries) {
    if (type === "intent") {
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

type Known = Map<string, State | "unkept">;

function stateBefore(entries: readonly Entry[], objects: ObjectStore): Known {
  let known: Known = new Map();
  for (const entry of entries) {
    if (entry.type === "checkpoint") {
      if (entry.data.tree !== undefined) known = treeOf(objects.get(entry.data.tree));
      for (const { path, before, mode } of entry.data.blobs) {
        if (before === null) known.delete(path);
        else known.set(path, { hash: before, mode: mode === null || mode > 0o7777 ? mode : mode | fileKind });
      }
    } else if (entry.type === "outcome") {
      for (const { path, after, mode } of entry.data.files) {
        const last = known.get(path);
        if (after === null) known.delete(path);
        else known.set(path, { hash: after, mode: mode?.after ?? (last && last !== "unkept" ? last.mode : null) });
      }
    }
  }
  return known;
}

function treeOf(bytes: Buffer | undefined): Known {
  const known: Known = new Map();
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

/** What was there and is not, and what was made or touched since. */
async function everyPath(before: Known, { disk, root, skip, clock }: CrashGround, since: number) {
  const index = new ProjectIndex({
    disk,
    bases: [root],
    skip,
    // Contents are read later, and only of what changed.
    take: async () => "",
    excluded: () => {},
    clock,
    budget: Number.POSITIVE_INFINITY,
  });
  await index.scan();
  const gone = [...before.keys()].filter((path) => !index.entries.has(path));
  const young = [...index.entries].flatMap(([path, { ctime }]) => (ctime >= since - tickMs ? [path] : []));
  return new Set([...gone, ...young]);
}
