// What a session did to files, call by call, read from its log: outcomes say what changed, checkpoints what was before.
// Invariant: pure; entries in, steps out, in the order of the file. That is the order in which the disk changed, on
// whatever branch of the conversation: there is one disk for all of them. Never opens a log.

import type { Entry } from "../../core/entry.js";
import { textOf } from "../../core/message.js";
import type { FileChange } from "../../core/plan.js";
import { emptyHash } from "../journal/scan.js";
import { directoryKind, fileKind, isDirectory } from "../mode.js";

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
  /** Why it may not be the call's, or must not be taken back unasked. */
  doubt?: string;
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
  /** Changed as well, but what was there was not kept. */
  uncovered: string[];
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
  /** Of an undo that was stopped or killed: what it had still to do, by path, as changes to be taken back. */
  left: Map<string, StepChange>;
}

type Blob = Entry<"checkpoint">["data"]["blobs"][number];

export const undoNote = "undo";

/** Whether it was the call is not known: see FileChange `unsure`. */
export const unsure = "differs since Cinch was killed, by the command or by you";
const maybeMoved = "is new since something went away that was not kept; it may be the only copy of it";

/** In the order of the log; an undo that went on with the one before it belongs to that. */
export function actionsOf(entries: Iterable<Entry>): Action[] {
  const actions: Action[] = [];
  const blobs = new Map<string, Map<string, Blob>>();
  let prompt: Entry<"message"> | undefined;
  for (const entry of entries) {
    const { id, seq } = entry;
    if (entry.type === "message" && entry.data.role === "user" && entry.data.origin === "user") prompt = entry;
    else if (entry.type === "state" && entry.data.from === "created" && prompt) {
      actions.push({
        entry: prompt.id,
        kind: "run",
        text: textOf(prompt.data),
        seq: prompt.seq,
        steps: [],
        left: new Map(),
      });
    } else if (entry.type === "note" && entry.data.code === undoNote) {
      const last = actions.at(-1);
      if (last && entry.data.data?.["continues"] === last.entry) continue;
      actions.push({ entry: id, kind: "undo", text: entry.data.text, seq, steps: [], left: new Map() });
    } else if (entry.type === "checkpoint") {
      const known = blobs.get(entry.data.call) ?? new Map<string, Blob>();
      for (const blob of entry.data.blobs) known.set(blob.path, blob);
      blobs.set(entry.data.call, known);
      for (const blob of entry.data.blobs) planned(actions.at(-1), entry.data.call, blob);
    } else if (entry.type === "outcome") {
      const step = stepOf(entry, blobs.get(entry.data.call));
      const action = actions.at(-1);
      if (step.changes.length > 0 || step.uncovered.length > 0) action?.steps.push(step);
      const own = blobs.get(step.call)?.keys() ?? [];
      const settled = entry.data.status === "ok" ? own : step.changes.map(({ path }) => path);
      if (isUndo(step.call)) for (const path of settled) action?.left.delete(path);
    }
  }
  return actions;
}

const isUndo = (call: string) => call.startsWith(`${undoNote}_`);

/** What an undo is about to do. */
function planned(action: Action | undefined, call: string, { path, before, mode, after }: Blob): void {
  if (!action || !isUndo(call) || after === undefined) return;
  action.left.set(path, { path, before: after, after: before === null ? null : { hash: before, mode } });
}

function stepOf(entry: Entry<"outcome">, blobs: ReadonlyMap<string, Blob> = new Map()): Step {
  const { call, tool, files } = entry.data;
  const kept = files.filter((file) => !file.uncovered);
  const uncovered = files.flatMap((file) => (file.uncovered ? [file.path] : []));
  const gone = files.some((file) => file.uncovered === "gone");
  const changes = kept.flatMap((file) => changeOf(file, blobs.get(file.path), gone));
  // Directories that a file tool made on the way are in its checkpoint alone.
  for (const { path, before, mode } of blobs.values()) {
    const made = before === null && mode !== null && isDirectory(mode);
    if (made) changes.push({ path, before: null, after: { hash: emptyHash, mode: directoryKind } });
  }
  const { id, parent: turn, seq, time } = entry;
  return { call, tool, agent: "main", entry: id, turn, seq, time, changes, uncovered };
}

function changeOf(file: FileChange, blob: Blob | undefined, gone: boolean): StepChange[] {
  const { path, before, after, mode } = file;
  if (before === after && !mode) return [];
  const old = mode ? mode.before : (blob?.mode ?? null);
  const kept = old !== null && (old & ~0o7777) === 0 ? old | fileKind : old;
  const change: StepChange = {
    path,
    before: before === null ? null : { hash: before, mode: kept },
    after: after === null ? null : { hash: after, mode: mode ? mode.after : before === null ? null : kept },
  };
  const { after: now } = change;
  if (file.unsure) change.doubt = unsure;
  // A directory is only taken away when nothing is left in it.
  else if (gone && !change.before && now && !(now.mode !== null && isDirectory(now.mode))) change.doubt = maybeMoved;
  return [change];
}
