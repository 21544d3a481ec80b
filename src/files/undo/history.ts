// What a session did to files, call by call, read from its log: outcomes say what changed, checkpoints what was before.
// Invariant: pure; entries in, steps out, in the order of the file. That is the order in which the disk changed, on
// whatever branch of the conversation: there is one disk for all of them. Never opens a log.

import type { Entry } from "../../core/entry.js";
import { textOf } from "../../core/message.js";
import type { FileChange } from "../../core/plan.js";
import { ownCalls } from "../../core/task.js";
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

/**
 * What was done in one go: a run, an undo, or work of the program that had the session open (a build). A run whose process was
 * killed and the run that went on after it are one.
 */
export interface Action {
  /** The user's message, or the note of the undo or the work. */
  entry: string;
  /** The messages of the runs that went on with it. */
  goneOn: string[];
  kind: "run" | "undo" | "work";
  /** Of work that may go on under this name. */
  id?: string;
  /** The user's text, what was taken back, or what the work is called. */
  text: string;
  seq: number;
  steps: Step[];
  /** Of an undo that was stopped or killed: what it had still to do, by path, as changes to be taken back. */
  left: Map<string, StepChange>;
}

type Blob = Entry<"checkpoint">["data"]["blobs"][number];

export const undoNote = "undo";
export const workNote = "work";

/** Whether it was the call is not known: see FileChange `unsure`. */
export const unsure = "differs since Cinch was killed, by the command or by you";
const maybeMoved = "is new since something went away that was not kept; it may be the only copy of it";

/**
 * In the order of the log. An undo that went on with the one before it belongs to that, and what the end of a task has begun
 * to the run of the same prompt; work under one id is one.
 */
export function actionsOf(entries: Iterable<Entry>): Action[] {
  const reading = new Reading();
  for (const entry of entries) reading.take(entry);
  return reading.actions;
}

class Reading {
  readonly actions: Action[] = [];
  readonly #blobs = new Map<string, Map<string, Blob>>();
  #prompt: Entry<"message"> | undefined;
  /** The newest run has ended. */
  #isOver = false;

  take(entry: Entry): void {
    if (entry.type === "message" && entry.data.role === "user" && entry.data.origin === "user") this.#prompt = entry;
    else if (entry.type === "state") this.#state(entry);
    // On another branch nothing goes on with it.
    else if (entry.type === "head") this.#isOver = true;
    else if (entry.type === "note") this.#note(entry);
    else if (entry.type === "checkpoint") this.#checkpoint(entry.data);
    else if (entry.type === "outcome") this.#outcome(entry);
  }

  get #last(): Action | undefined {
    return this.actions.at(-1);
  }

  #state({ data: { from, to } }: Entry<"state">): void {
    const wasKilled = !this.#isOver;
    if (from === "created") this.#isOver = false;
    if (terminal.includes(to)) this.#isOver = true;
    const [prompt, last] = [this.#prompt, this.#last];
    if (from !== "created" || !prompt || last?.entry === prompt.id) return;
    if (wasKilled && last?.kind === "run") last.goneOn.push(prompt.id);
    else this.actions.push(actionAt(prompt, "run", textOf(prompt.data)));
  }

  #note(note: Entry<"note">): void {
    const { code, text, data = {} } = note.data;
    if (code === undoNote) {
      if (data["continues"] !== undefined && data["continues"] === this.#last?.entry) return;
      this.actions.push(actionAt(note, "undo", text));
    } else if (code === workNote) {
      const { id } = data;
      if (typeof id !== "string") this.actions.push(actionAt(note, "work", text));
      else if (this.#last?.id !== id) this.actions.push({ ...actionAt(note, "work", text), id });
    }
  }

  #checkpoint({ call, blobs }: Entry<"checkpoint">["data"]): void {
    const known = this.#blobs.get(call) ?? new Map<string, Blob>();
    for (const blob of blobs) known.set(blob.path, blob);
    this.#blobs.set(call, known);
    for (const blob of blobs) planned(this.#last, call, blob);
  }

  #outcome(outcome: Entry<"outcome">): void {
    const { call, status } = outcome.data;
    const step = stepOf(outcome, this.#blobs.get(call));
    if (step.changes.length + step.uncovered.length > 0) this.#actionOf(outcome).steps.push(step);
    const own = this.#blobs.get(call)?.keys() ?? [];
    const settled = status === "ok" ? own : step.changes.map(({ path }) => path);
    if (isUndo(call)) for (const path of settled) this.#last?.left.delete(path);
  }

  /** What belongs to no run is work of its own. */
  #actionOf(outcome: Entry<"outcome">): Action {
    const { call } = outcome.data;
    const last = this.#last;
    const isOwn = call.startsWith(ownCalls);
    if (last && (!isOwn || last.kind === "work" || (last.kind === "run" && !this.#isOver))) return last;
    const work = actionAt(outcome, "work", `the call ${call}`);
    this.actions.push(work);
    return work;
  }
}

const terminal: readonly string[] = ["completed", "cancelled", "failed"];

export function actionAt({ id: entry, seq }: Pick<Entry, "id" | "seq">, kind: Action["kind"], text: string): Action {
  return { entry, goneOn: [], kind, text, seq, steps: [], left: new Map() };
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
