// What a session did to files, call by call, read from its log: outcomes say what changed, checkpoints what was before.
// Invariant: pure; entries in, steps out, in the order of the file. That is the order in which the disk changed, on
// whatever branch of the conversation: there is one disk for all of them. Never opens a log.

import type { Entry } from "../core/entry.js";
import { textOf } from "../core/message.js";
import type { FileChange } from "../core/plan.js";
import { directoryKind, fileKind, isDirectory } from "./mode.js";
import { emptyHash } from "./scan.js";

/** What is at a path. Links: content = target; directories: content = "". */
export interface State {
  hash: string;
  /** st_mode; null = a regular file whose permissions are not known. */
  mode: number | null;
}

export interface StepChange {
  path: string;
  before: State | null;
  after: State | null;
}

/** One call that changed something. */
export interface Step {
  call: string;
  tool: string;
  agent: string;
  /** The outcome, and the assistant message (the turn) it hangs on. */
  entry: string;
  turn: string | null;
  seq: number;
  time: number;
  changes: StepChange[];
}

/** What was done in one go: a run, or an undo. */
export interface Action {
  /** The user's message, or the note of the undo. */
  entry: string;
  kind: "run" | "undo";
  /** The user's text, or what was taken back. */
  text: string;
  seq: number;
  steps: Step[];
}

type Blob = Entry<"checkpoint">["data"]["blobs"][number];

export const undoNote = "undo";

export function actionsOf(entries: Iterable<Entry>): Action[] {
  const actions: Action[] = [];
  const blobs = new Map<string, Map<string, Blob>>();
  let prompt: Entry<"message"> | undefined;
  for (const entry of entries) {
    const { id, seq } = entry;
    if (entry.type === "message" && entry.data.role === "user" && entry.data.origin === "user") prompt = entry;
    else if (entry.type === "state" && entry.data.from === "created" && prompt) {
      actions.push({ entry: prompt.id, kind: "run", text: textOf(prompt.data), seq: prompt.seq, steps: [] });
    } else if (entry.type === "note" && entry.data.code === undoNote) {
      actions.push({ entry: id, kind: "undo", text: entry.data.text, seq, steps: [] });
    } else if (entry.type === "checkpoint") {
      const known = blobs.get(entry.data.call) ?? new Map<string, Blob>();
      for (const blob of entry.data.blobs) known.set(blob.path, blob);
      blobs.set(entry.data.call, known);
    } else if (entry.type === "outcome") {
      const step = stepOf(entry, blobs.get(entry.data.call));
      if (step.changes.length > 0) actions.at(-1)?.steps.push(step);
    }
  }
  return actions;
}

function stepOf(entry: Entry<"outcome">, blobs: ReadonlyMap<string, Blob> = new Map()): Step {
  const { call, tool, files } = entry.data;
  const changes = files.flatMap((file) => changeOf(file, blobs.get(file.path)));
  // Directories that a file tool made on the way are in its checkpoint alone.
  for (const { path, before, mode } of blobs.values()) {
    const made = before === null && mode !== null && isDirectory(mode);
    if (made) changes.push({ path, before: null, after: { hash: emptyHash, mode: directoryKind } });
  }
  return { call, tool, agent: "main", entry: entry.id, turn: entry.parent, seq: entry.seq, time: entry.time, changes };
}

function changeOf({ path, before, after, mode }: FileChange, blob: Blob | undefined): StepChange[] {
  if (before === after && !mode) return [];
  const old = mode ? mode.before : (blob?.mode ?? null);
  const kept = old !== null && (old & ~0o7777) === 0 ? old | fileKind : old;
  return [
    {
      path,
      before: before === null ? null : { hash: before, mode: kept },
      after: after === null ? null : { hash: after, mode: mode ? mode.after : before === null ? null : kept },
    },
  ];
}
