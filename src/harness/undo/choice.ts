// Which steps `cinch undo` takes back: the last run, everything after an entry, or one cause alone. Pure but for the
// resolution of a path.

import { basename, dirname, join, resolve } from "node:path";
import type { Entry } from "../../core/entry.js";
import { UserError } from "../../core/errors.js";
import { type Action, type Step, undoNote } from "../../files/undo/history.js";
import type { Fs } from "../../lib/fs.js";
import { resolvePath, within } from "../../lib/paths.js";

export interface UndoRequest {
  /** Id, prefix or label; default: the newest session of the project. */
  session?: string;
  /** Take back everything after this entry. */
  to?: string;
  /** A call, a turn or run (its entry), an agent, or a path. */
  only?: string;
  /** Put everything back, or forth, to how it was at this entry (a whole id), on whatever branch. */
  at?: string;
  /** What may be somebody else's change is taken back as well. */
  sure?: true;
  /** Nothing is said to the model: the conversation goes to that entry as well. */
  untold?: true;
}

export interface Chosen {
  /** In the order they were done. */
  steps: Step[];
  what: string;
  wanted(path: string): boolean;
  /** An undo that was not finished, and is gone on with: the entry it began with. */
  continues?: string;
  /** How the model hears of it; null = not at all. */
  told: string | null;
}

type Range = Omit<Chosen, "told">;

interface Ground {
  /** The entry with this id or prefix. */
  entry(id: string): Entry | undefined;
  /** All of the session, in file order. */
  entries: readonly Entry[];
  disk: Fs;
  cwd: string;
}

const everything = () => true;

/** The entry that has this label now; null when none has. @throws UserError when several have */
export function labelled(entries: readonly Entry[], name: string): string | null {
  const labels = new Map<string, string | null>();
  for (const entry of entries) if (entry.type === "label") labels.set(entry.data.target, entry.data.text);
  const [only, ...more] = [...labels].flatMap(([target, text]) => (text === name ? [target] : []));
  if (only === undefined || more.length === 0) return only ?? null;
  throw new UserError(
    `${JSON.stringify(name)} is the label of ${more.length + 1} entries.`,
    "Name the entry by its id.",
  );
}

/** @throws UserError when a name fits nothing */
export function choose(actions: readonly Action[], request: UndoRequest, ground: Ground): Chosen {
  const { at, untold } = request;
  if (at === undefined) {
    const range = rangeOf(actions, request, ground);
    return { ...range, told: `The user took back ${range.what} with cinch undo.` };
  }
  const shown = at.slice(0, 8);
  const steps = since(actions, at, ground.entries);
  const told = untold ? null : `The user put the files back to how they were at the entry ${shown}.`;
  return { steps, what: `what happened to files since ${shown}`, wanted: everything, told };
}

/**
 * There is one disk for all branches, and its history is the order of the file: the files as they were at an entry are
 * the files now, with everything taken back that came later, hops between branches included.
 * What a call on the path to the entry did after its result (a deletion that was held back) counts as done by then.
 */
function since(actions: readonly Action[], at: string, entries: readonly Entry[]): Step[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const seq = byId.get(at)?.seq ?? 0;
  const path = new Set<string>();
  const answered = new Set<string>();
  for (let entry = byId.get(at); entry; entry = entry.parent === null ? undefined : byId.get(entry.parent)) {
    path.add(entry.id);
    const parts = entry.type === "message" ? entry.data.parts : [];
    for (const part of parts) if (part.type === "result") answered.add(part.callId);
  }
  const done = (step: Step) => step.seq <= seq || (answered.has(step.call) && path.has(step.turn ?? ""));
  return actions.flatMap((action) => action.steps).filter((step) => !done(step));
}

function rangeOf(actions: readonly Action[], request: UndoRequest, ground: Ground): Range {
  const { to, only } = request;
  const range = to === undefined ? lastOf(actions) : after(actions, to, ground);
  if (only === undefined) return range;
  const steps = actions.flatMap((action) => action.steps);
  const call = steps.filter((step) => step.call === only);
  if (call.length > 0) return { steps: call, what: `the call ${only}`, wanted: everything };
  if (only === "main") return { ...range, steps: range.steps.filter((step) => step.agent === only) };
  const agent = steps.filter((step) => step.agent === only);
  if (agent.length > 0) return { steps: agent, what: `what the agent of task ${only} did`, wanted: everything };
  const work = actions.findLast(({ id }) => id === only);
  if (work) return { steps: work.steps, what: named(work), wanted: everything };
  return byEntry(actions, only, ground) ?? byPath(actions, range, request, ground);
}

function lastOf(actions: readonly Action[]): Range {
  const last = actions.at(-1);
  if (!last) return { steps: [], what: "nothing", wanted: everything };
  if (last.left.size === 0) return { steps: last.steps, what: named(last), wanted: everything };
  const { entry, seq, text, left, steps } = last;
  const time = steps.at(-1)?.time ?? 0;
  const call = `${undoNote}_${entry}`;
  const changes = [...left.values()];
  const rest: Step = { call, tool: undoNote, agent: "main", entry, turn: null, seq, time, changes, uncovered: [] };
  return { steps: [rest], what: `the rest of ${text}`, wanted: everything, continues: entry };
}

function named({ kind, text }: Action): string {
  if (kind === "work") return text;
  if (kind === "undo") return `the undo of ${text.replace(/^the undo of /, "")}`;
  const line = text.replace(/\s+/g, " ").trim();
  return `the run ${JSON.stringify(line.length > 60 ? `${line.slice(0, 59)}…` : line)}`;
}

function after(actions: readonly Action[], to: string, ground: Ground): Range {
  const entry = ground.entry(to);
  if (!entry) throw noEntry(actions, to);
  const steps = actions.flatMap((action) => action.steps).filter((step) => step.seq > entry.seq);
  return { steps, what: `everything after ${entry.id.slice(0, 8)}`, wanted: everything };
}

/** A turn by its message, a run or an undo by the entry it begins with. */
function byEntry(actions: readonly Action[], only: string, ground: Ground): Range | null {
  if (!/^[0-9A-Za-z_-]{4,64}$/.test(only)) return null;
  const id = ground.entry(only.replace(/^undo_/, ""))?.id;
  if (id === undefined) return null;
  const action = actions.find(({ entry, goneOn }) => entry === id || goneOn.includes(id));
  if (action) return { steps: action.steps, what: named(action), wanted: everything };
  const turn = actions.flatMap(({ steps }) => steps).filter((step) => step.turn === id || step.entry === id);
  return turn.length > 0 ? { steps: turn, what: `the turn ${id.slice(0, 8)}`, wanted: everything } : null;
}

/** The path itself, or what is below it: in the range that was asked for, else in the newest that changed it. */
function byPath(actions: readonly Action[], range: Range, { to, only = "" }: UndoRequest, ground: Ground): Range {
  const given = resolve(ground.cwd, only);
  // A link is meant itself, not what it leads to; so only its directory is resolved.
  const path = join(resolvePath(ground.disk, "/", dirname(given)).path, basename(given));
  const wanted = (other: string) => within(path, other);
  const touching = ({ steps }: { steps: readonly Step[] }) =>
    steps.filter(({ changes, uncovered }) => changes.some((change) => wanted(change.path)) || uncovered.some(wanted));
  if (touching(range).length > 0) {
    return { ...range, steps: touching(range), what: `${range.what}, only ${only}`, wanted };
  }
  const newest = actions.findLast((action) => touching(action).length > 0);
  if (newest && to === undefined) return { steps: touching(newest), what: `${named(newest)}, only ${only}`, wanted };
  const text = `--only ${only} is no call, turn, run or agent of the session, and ${range.what} did not change it as a path.`;
  const fix = newest
    ? `It was last changed by ${named(newest)}, which begins at ${newest.entry}: leave --to out.`
    : "No run of this session changed it; `cinch sessions` lists the others.";
  throw new UserError(text, fix);
}

function noEntry(actions: readonly Action[], to: string): UserError {
  const known = actions.slice(-5).map((action) => `${action.entry} (${named(action)})`);
  return new UserError(
    `There is no entry ${JSON.stringify(to)} in this session.`,
    known.length > 0 ? `Its last runs begin at: ${known.join(", ")}.` : "It has no runs yet.",
  );
}
