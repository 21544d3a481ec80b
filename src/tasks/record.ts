// One record of a task as text: `<id>.json`, one JSON object (SPEC 2.14).
// Invariant: what does not read back as a whole record is a fault with a reason, never half a record; unknown members are
// kept as they are, so that an older Cinch does not lose what a newer one wrote.
// Not here: where records are (store.ts), and what may change in them (core/task.ts).

import { type TaskOwner, type TaskRecord, taskKinds, taskStates } from "../core/task.js";
import { isObject, parseJson } from "../lib/json.js";

const idPattern = /^[0-9a-hjkmnp-tv-z]{12}$/;

/** Nothing else is ever part of a path. */
export function isTaskId(text: string): boolean {
  return idPattern.test(text);
}

export function recordText(record: TaskRecord): string {
  return `${JSON.stringify(record)}\n`;
}

/** The record, or why it is none. `id`: the one its file is named for. */
export function parseRecord(text: string, id: string): TaskRecord | { fault: string } {
  const value = parseJson(text);
  if (!isObject(value)) return { fault: "it is not one JSON object" };
  if (value["v"] !== 1) return { fault: `its version is ${JSON.stringify(value["v"])}, and this Cinch reads 1` };
  const wrong = Object.entries(members).find(([name, fits]) => !fits(value[name]));
  if (wrong) return { fault: `its member ${wrong[0]} is missing or no such thing` };
  if (value["id"] !== id) return { fault: "it names another task" };
  return value as unknown as TaskRecord;
}

type Fits = (value: unknown) => boolean;

const isText: Fits = (value) => typeof value === "string";
const isTruth: Fits = (value) => typeof value === "boolean";
const isNumber: Fits = (value) => typeof value === "number" && Number.isFinite(value);
const isTexts: Fits = (value) => Array.isArray(value) && value.every(isText);
const oneOf =
  (words: readonly string[]): Fits =>
  (value) =>
    words.includes(value as string);
const orNull =
  (fits: Fits): Fits =>
  (value) =>
    value === null || fits(value);
const orAbsent =
  (fits: Fits): Fits =>
  (value) =>
    value === undefined || fits(value);
/** 0 and negative numbers are process groups to kill(2). */
const isPid: Fits = (value) => Number.isSafeInteger(value) && (value as number) > 0;

const members: { readonly [name in keyof TaskRecord]?: Fits } = {
  id: isText,
  kind: oneOf(taskKinds),
  state: oneOf(taskStates),
  owner: isOwner,
  parent: orNull(isText),
  depth: isNumber,
  title: isText,
  command: orAbsent(isText),
  prompt: orAbsent(isText),
  agent: orAbsent(isText),
  cwd: isText,
  detach: isTruth,
  labels: isTexts,
  deadline: orNull(isNumber),
  limits: isObject,
  dependsOn: isTexts,
  created: isNumber,
  place: orAbsent(isNumber),
  started: orNull(isNumber),
  ended: orNull(isNumber),
  heartbeat: orNull(isNumber),
  pid: orAbsent(isPid),
  pgid: orAbsent(isPid),
  start: orAbsent(isText),
  exit_code: orAbsent(isNumber),
  signal: orAbsent(isText),
  output: orAbsent(isObject),
  result: orAbsent(isText),
  error: orAbsent(isObject),
  usage: isObject,
  cost: orNull(isNumber),
  session: orAbsent(isText),
  told: isTruth,
};

function isOwner(value: unknown): boolean {
  if (!isObject(value)) return false;
  const owner: { readonly [name in keyof TaskOwner]?: Fits } = {
    pid: isPid,
    start: orNull(isText),
    boot: orNull(isText),
    host: isText,
    space: orNull(isText),
    session: isText,
    call: orNull(isText),
  };
  return Object.entries(owner).every(([name, fits]) => fits(value[name]));
}
