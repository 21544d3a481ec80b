// `cinch undo`: from a session's log to files as they were. Composition only: what is to be done is planned by
// files/undo/undo.ts and done by files/undo/restore.ts.
// Invariant: nothing is changed while anything overlaps; the undo is in the log, contents and all, before the first
// file changes, so it can be taken back itself. The session is held by its lock from the plan to the end.

import type { Entry } from "../../core/entry.js";
import { codeOf, messageOf, UserError } from "../../core/errors.js";
import type { Clock, Ids } from "../../core/ids.js";
import type { FileChange } from "../../core/plan.js";
import type { CallStatus } from "../../core/tool.js";
import { type State, type Step, undoNote } from "../../files/undo/history.js";
import { type Found, PresentFiles } from "../../files/undo/present.js";
import { fitted, restore } from "../../files/undo/restore.js";
import { planUndo, type UndoPlan } from "../../files/undo/undo.js";
import type { Fs } from "../../lib/fs.js";
import type { ObjectStore } from "../../lib/object-store.js";
import { printable, shownPath } from "../../lib/paths.js";
import { SessionLog } from "../../session/log.js";
import { openCalls } from "../../session/tree.js";
import { sessionAt } from "../place.js";
import { logPorts } from "../sessions/log-ports.js";
import { type Chosen, choose, labelled, type UndoRequest } from "./choice.js";
import { familyActions } from "./family-actions.js";

export type { UndoRequest } from "./choice.js";

export interface UndoPlace {
  root: string;
  cwd: string;
  /** State directory. */
  state: string;
  disk: Fs;
  clock: Clock;
  ids: Ids;
}

/** A planned undo of an open session. */
export interface PlannedUndo {
  session: string;
  /** What is taken back, in words. */
  what: string;
  /** The project root of the session: paths are shown relative to it. */
  root: string;
  plan: UndoPlan;
  /** Calls that are taken back. */
  calls: readonly string[];
  /**
   * Throws UserError, with what was done, when something fails on the way. Returns the entry of the undo. `done`: told how
   * many files are in place.
   */
  apply(done?: (files: number) => void): Promise<string>;
}

/** The same with its session locked. Call `close` in every case. */
export interface Undo extends PlannedUndo {
  close(): Promise<void>;
}

/** The part of an open session that is needed here. */
export type UndoLog = Pick<SessionLog, "id" | "file" | "header" | "entry" | "append" | "appendAll" | "sync"> & {
  path(): readonly Entry[];
};

/** @throws UserError when there is no such session or entry (exit 2), or the session is in use (exit 1) */
export async function prepareUndo(at: UndoPlace, request: UndoRequest): Promise<Undo> {
  const { file } = sessionAt(at, request.session);
  const log = SessionLog.open({ ...logPorts(at), file });
  try {
    return { ...(await planUndoOf(at, log, request)), close: () => log.close() };
  } catch (error) {
    await log.close();
    throw error;
  }
}

/** Plans an undo of a session that is open; `request.session` is not looked at. */
export async function planUndoOf(at: UndoPlace, log: UndoLog, request: UndoRequest): Promise<PlannedUndo> {
  const root = log.header?.root ?? at.root;
  const { actions: all, entries, crashed, objects } = await familyActions(at, log, root);
  // An undo that did nothing leaves nothing to take back.
  const actions = all.filter(({ kind, steps }) => kind === "run" || steps.length > 0);
  const present = new PresentFiles(at.disk);
  const content = (hash: string) => present.content(hash) ?? objects.get(hash);
  const planned = async () => {
    const chosen = choose(actions, request, {
      entry: (name) => log.entry(labelled(entries, name) ?? name),
      entries,
      disk: at.disk,
      cwd: at.cwd,
    });
    const { steps, wanted } = chosen;
    await present.look(steps.flatMap(({ changes }) => changes.map(({ path }) => path)).filter(wanted));
    const state = { at: (path: string) => present.at(path), content };
    const plan = planUndo(steps, state, { wanted, sure: request.sure === true });
    return { chosen, plan: fitted(at.disk, plan) };
  };
  let { chosen, plan } = await planned();
  if (chosen.continues !== undefined && plan.items.length + plan.conflicts.length === 0) {
    // It was stopped when all was done but its last word.
    actions.at(-1)?.left.clear();
    ({ chosen, plan } = await planned());
  }
  const { what, steps } = chosen;
  return {
    session: log.id,
    what,
    root,
    plan,
    calls: steps.map(({ call }) => call),
    apply: (done) => carryOut({ at, log, objects, present, plan, chosen, root, crashed, done }),
  };
}

interface Doing {
  at: UndoPlace;
  log: UndoLog;
  objects: ObjectStore;
  present: PresentFiles;
  plan: UndoPlan;
  chosen: Chosen;
  root: string;
  crashed: Step | null;
  done: ((files: number) => void) | undefined;
}

async function carryOut(doing: Doing): Promise<string> {
  const { at, log, objects, present, plan, chosen, root, crashed } = doing;
  const { items, merged, conflicts } = plan;
  const { what, told, steps, continues } = chosen;
  if (conflicts.length > 0 || items.length === 0) throw new Error("undo: there is nothing to do, or a conflict");
  await keepAll(at, objects, present, plan);
  if (crashed) bookCrash(log, crashed);
  const calls = steps.map(({ call }) => call);
  const note = { code: undoNote, text: what, data: continues === undefined ? { calls } : { calls, continues } };
  const [noted] = log.appendAll([{ type: "note", data: note }]);
  const call = `undo_${noted?.id}`;
  const blobs = items.map(({ path, from, to }) => ({
    path,
    before: from?.hash ?? null,
    mode: from?.mode ?? null,
    after: to,
  }));
  log.append("checkpoint", { call, blobs, coverage: "full" });
  await log.sync();
  let failure: unknown;
  try {
    await restore(
      { disk: at.disk, present, content: (hash) => merged.get(hash) ?? objects.get(hash) },
      items,
      doing.done,
    );
  } catch (error) {
    failure = error;
  }
  const now = new PresentFiles(at.disk);
  await now.look(items.map(({ path }) => path));
  const files = items.flatMap(({ path, from }) => changeOf(path, from, now.at(path)));
  const status = failure === undefined ? "ok" : "error";
  log.append("outcome", { call, tool: undoNote, status, files });
  // Whoever reads it may work in another directory of the project.
  const names = files.map(({ path }) => (at.cwd === root ? shownPath(root, path) : printable(path)));
  if (told !== null) tell(log, told, names);
  await log.sync();
  if (failure === undefined) return noted?.id ?? "";
  const back = `\`cinch undo --only ${call}\` takes back what was done.`;
  const done =
    files.length === 0
      ? "Nothing was changed."
      : `${files.length} of ${items.length} paths were changed. The next \`cinch undo\` goes on with the rest; ${back}`;
  throw new UserError(`The undo was stopped: ${messageOf(failure)}`, done, 1);
}

/** What is there now has to be in the store before anything is changed. */
async function keepAll({ state }: UndoPlace, objects: ObjectStore, present: PresentFiles, plan: UndoPlan) {
  try {
    for (const { from } of plan.items) keep(objects, present, from);
    for (const bytes of plan.merged.values()) objects.put(bytes);
    await objects.flush();
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    const text = `What is there now could not be kept in ${state}: ${messageOf(error)}. Nothing was changed.`;
    throw new UserError(text, "Make room on that disk, or let it be written, and run cinch undo again.", 1);
  }
}

/** The call that was killed gets its outcome, so that what it did stays known when the log goes on. */
export function bookCrash(log: Pick<UndoLog, "append">, step: Step, status: CallStatus = "unknown"): FileChange[] {
  const { call, tool, turn, changes, uncovered } = step;
  const known = changes.map(({ path, before, after, doubt }): FileChange => {
    const mode = { before: before?.mode ?? null, after: after?.mode ?? null };
    const change: FileChange = { path, before: before?.hash ?? null, after: after?.hash ?? null, mode, unseen: true };
    return doubt === undefined ? change : { ...change, unsure: true };
  });
  const lost = uncovered.map(
    (path): FileChange => ({ path, before: null, after: null, uncovered: "changed", unseen: true }),
  );
  const files = [...known, ...lost];
  log.append("outcome", { call, tool, status, files }, turn ?? undefined);
  return files;
}

function keep(objects: ObjectStore, present: PresentFiles, state: State | null): void {
  const bytes = state ? present.content(state.hash) : undefined;
  if (bytes) objects.put(bytes);
}

function changeOf(path: string, from: State | null, now: Found["state"]): FileChange[] {
  if (typeof now === "string") return [];
  if (from?.hash === now?.hash && from?.mode === now?.mode) return [];
  const change: FileChange = { path, before: from?.hash ?? null, after: now?.hash ?? null };
  change.mode = { before: from?.mode ?? null, after: now?.mode ?? null };
  if (now) change.unseen = true;
  return [change];
}

const maxNames = 10;

/** So that the model does not go on as if its changes were still there. */
function tell(log: UndoLog, lead: string, names: readonly string[]): void {
  // A call without its result comes first; its result is added when the session goes on.
  const open = openCalls(log.path(), { intents: [], outcomes: [] }).length > 0;
  if (open || names.length === 0 || log.path().length === 0) return;
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : "";
  const text = `${lead} Changed on disk: ${names.slice(0, maxNames).join(", ")}${more}.`;
  log.append("message", { role: "user", parts: [{ type: "text", text }], origin: "harness" });
}
