// Checks one level of settings against the table of schema.ts: a located tree in, assignments and problems out. Pure.
// Invariant: an entry is either an assignment of a checked value or a problem, never both and never neither;
// a problem never stops the other entries from being read.

import type { Json } from "../core/json.js";
import { byLikeness, nearest } from "../lib/nearest.js";
import { choose } from "./choice.js";
import { type Located, type Member, plain } from "./located.js";
import { type Kind, keyText, type Row, rows } from "./schema.js";

export type Level = "flags" | "user" | "project";

export interface Assignment {
  level: Level;
  path: readonly string[];
  value: Json;
  row: Row;
  /** `file:line`, or `flags`. */
  source: string;
}

export interface Problem {
  level: Level;
  /** `file:line`, or `flags`. */
  source: string;
  /** First part of the key it is about, `""` when the whole text is unreadable. */
  block: string;
  /** What is wrong and what is valid, in full sentences, after file and line if there are any. */
  text: string;
  /** Set when it cannot even be told what was meant. */
  unreadable?: true;
  /** Nothing is wrong; the user should know. */
  notice?: true;
}

export interface Checked {
  assignments: Assignment[];
  problems: Problem[];
}

export interface CheckContext {
  level: Level;
  /** Absent for values that come from flags. */
  file?: string;
  /** Names that may follow `models.`; absent = any. */
  providers?: readonly string[];
}

export async function checkSettings(root: Located, context: CheckContext): Promise<Checked> {
  const checked: Checked = { assignments: [], problems: [] };
  if (root.is !== "object") return checked;
  const hooks = root.members.some(({ key }) => key === "hooks") ? await import("./hooks.js") : null;
  walk(root.members, [], rows, new Run(checked, context, hooks));
  return checked;
}

/** Where findings go, and what they are about. */
class Run {
  readonly checked: Checked;
  readonly context: CheckContext;
  /** What reads hooks, when there are some. */
  readonly hooks: typeof import("./hooks.js") | null;

  constructor(checked: Checked, context: CheckContext, hooks: Run["hooks"]) {
    this.checked = checked;
    this.context = context;
    this.hooks = hooks;
  }

  source(line: number): string {
    return this.context.file === undefined ? "flags" : `${this.context.file}:${line}`;
  }

  assign(row: Row, path: readonly string[], value: Json, line: number): void {
    this.checked.assignments.push({ level: this.context.level, path, value, row, source: this.source(line) });
  }

  problem(path: readonly string[], line: number, finding: Finding): void {
    const source = this.source(line);
    const text = source === "flags" ? finding.text : `${source}: ${finding.text}`;
    this.checked.problems.push({ level: this.context.level, source, block: path[0] ?? "", ...finding, text });
  }
}

type Finding = Pick<Problem, "text" | "unreadable" | "notice">;

function walk(members: readonly Member[], above: readonly string[], known: readonly Row[], run: Run): void {
  const seen = new Map<string, number>();
  for (const member of members) {
    const path = [...above, member.key];
    const first = seen.get(member.key);
    const finding = first === undefined ? entry(member, path, known, run) : twice(path, first);
    if (finding) run.problem(path, member.line, finding);
    if (first === undefined) seen.set(member.key, member.line);
  }
}

/** Takes over one member, or says why not. */
function entry(member: Member, path: readonly string[], known: readonly Row[], run: Run): Finding | null {
  const { key, value } = member;
  const depth = path.length - 1;
  const matching = rowsFor(key, depth, known, run.context);
  if (matching.length === 0) return { text: unknown(path, known, run.context) };
  if (!value) return { text: `${keyText(path)} cannot be read and is left out.`, unreadable: true };
  if (matching.every((row) => row.later)) return { text: notYet(deepestKey(path, value)) };
  const leaf = matching.find((row) => row.path.length === path.length);
  if (leaf) return assign(leaf, value, path, run);
  if (value.is !== "object") {
    const inside = unique(matching.map((row) => row.path[depth + 1]));
    return { text: `${keyText(path)} must be an object with ${inside.join(", ")}.`, unreadable: true };
  }
  walk(value.members, path, matching, run);
  return null;
}

function twice(path: readonly string[], first: number): Finding {
  return { text: `${keyText(path)} is there twice, first in line ${first}; only that one counts.`, unreadable: true };
}

function rowsFor(key: string, depth: number, known: readonly Row[], context: CheckContext): Row[] {
  const literal = known.filter((row) => row.path[depth] === key && !isWild(key));
  if (literal.length > 0) return literal;
  if (key === "__proto__" || key === "") return [];
  const wild = known.filter((row) => isWild(row.path[depth]));
  const isProvider = wild.some((row) => row.path[depth] === "<provider>");
  return isProvider && context.providers && !context.providers.includes(key) ? [] : wild;
}

function isWild(part: string | undefined): boolean {
  return part?.startsWith("<") ?? false;
}

function assign(row: Row, value: Located, path: readonly string[], run: Run): Finding | null {
  if (run.context.level === "project" && !row.project) {
    return { text: `${keyText(path)} cannot be set by a project, only by its user; it is left out.` };
  }
  if (row.kind.is === "rules") return assignRules(row, value, path, run);
  if (row.kind.is === "hooks") return assignHooks(row, value, path, run);
  const checked = checkValue(keyText(path), value, row.kind);
  if (!checked.ok) return { text: checked.text };
  if (row.path[0] === "$schema") return null;
  run.assign(row, path, checked.value, value.line);
  return null;
}

/** One assignment for each rule, so that a bad one takes no other with it and each knows its line. */
function assignRules(row: Row, value: Located, path: readonly string[], run: Run): Finding | null {
  const key = keyText(path);
  if (value.is !== "array")
    return { text: `${key} is ${shown(plain(value))}; it must be a list of strings.`, unreadable: true };
  for (const item of value.items) {
    const text = plain(item);
    if (typeof text === "string" && text.trim() !== "") run.assign(row, path, text, item.line);
    else run.problem(path, item.line, { text: `${key} holds ${shown(text)}; a rule is a string that is not empty.` });
  }
  return null;
}

/** One assignment for each hook, as for rules. */
function assignHooks(row: Row, value: Located, path: readonly string[], run: Run): null {
  if (!run.hooks) throw new Error(`config: ${keyText(path)} without a reader of hooks`);
  const { hooks, problems } = run.hooks.readHooks(value);
  for (const { hook, line } of hooks) run.assign(row, path, { ...hook } as unknown as Json, line);
  for (const { line, ...finding } of problems) run.problem(path, line, finding);
  return null;
}

function unknown(path: readonly string[], known: readonly Row[], context: CheckContext): string {
  const depth = path.length - 1;
  const key = path[depth] ?? "";
  const names = known.filter((row) => !row.later).map((row) => row.path[depth] ?? "");
  const valid = unique(
    names.flatMap((name) => (name === "<provider>" && context.providers ? context.providers : name)),
  );
  const above = path.slice(0, -1);
  const meant = nearest(
    key,
    valid.filter((name) => !isWild(name)),
  );
  const hint = meant === undefined ? "" : ` Did you mean ${keyText([...above, meant])}?`;
  const where = above.length > 0 ? `in ${keyText(above)}` : "at the top";
  return `${JSON.stringify(keyText(path))} is not a setting.${hint} Valid ${where}: ${byLikeness(key, valid).join(", ")}.`;
}

function notYet(path: readonly string[]): string {
  return `${keyText(path)} is not in this version; take it out, it would have no effect.`;
}

/** The key a person would look for: as deep as there is only one member. */
function deepestKey(path: readonly string[], value: Located): readonly string[] {
  const only = value.is === "object" && value.members.length === 1 ? value.members[0] : undefined;
  const known = only && rows.some((row) => row.path[path.length] === only.key && row.path[0] === path[0]);
  return only && known ? [...path, only.key] : path;
}

// --- values ----------------------------------------------------------------------------------------------------------

type CheckedValue = { ok: true; value: Json } | { ok: false; text: string };

function checkValue(key: string, node: Located, kind: Exclude<Kind, { is: "rules" | "hooks" }>): CheckedValue {
  const value = plain(node);
  const wrong = (must: string): CheckedValue => ({ ok: false, text: `${key} is ${shown(value)}; it must be ${must}.` });
  switch (kind.is) {
    case "string":
      return typeof value === "string" && value !== "" ? { ok: true, value } : wrong("a string that is not empty");
    case "boolean":
      return typeof value === "boolean" ? { ok: true, value } : wrong("true or false");
    case "integer":
    case "number":
      return inRange(value, kind) ? { ok: true, value } : wrong(rangeText(kind));
    case "choice":
      return typeof value === "string" ? choose(key, value, kind) : wrong(`one of ${kind.values.join(", ")}`);
    case "names":
      return isNames(value, kind.values) ? { ok: true, value } : wrong(namesText(kind.values));
    case "models":
      return typeof value === "boolean" || isNames(value, undefined)
        ? { ok: true, value }
        : wrong("true, false or a list of patterns for model ids");
    case "price":
      return isRecord(value, priceFields, ["input", "output"]) ? { ok: true, value } : wrong(priceText);
    case "window":
      return isCount(value) || isRecord(value, windowFields, []) ? { ok: true, value } : wrong(windowText);
    case "json":
      return typeof value === "object" && value !== null && !Array.isArray(value)
        ? { ok: true, value }
        : wrong("an object");
  }
}

const priceText = "{input, output, cacheRead?, cacheWrite?, date?} in US dollars per million tokens";
const windowText = "a number of tokens, or {window?, maxOutput?} in tokens";

const isMoney = (value: Json | undefined) => typeof value === "number" && value >= 0;
const isCount = (value: Json | undefined) => inRange(value, { min: 1, is: "integer" });

const windowFields = { window: isCount, maxOutput: isCount };
const priceFields = {
  input: isMoney,
  output: isMoney,
  cacheRead: isMoney,
  cacheWrite: isMoney,
  date: (value: Json | undefined) => typeof value === "string",
};

function isRecord(
  value: Json,
  fields: Record<string, (value: Json | undefined) => boolean>,
  needed: string[],
): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const known = Object.keys(value).every((key) => Object.hasOwn(fields, key) && fields[key]?.(value[key]));
  return known && needed.every((key) => Object.hasOwn(value, key));
}

function isNames(value: Json, values: readonly string[] | undefined): boolean {
  const isName = (item: Json) => typeof item === "string" && item !== "" && (values?.includes(item) ?? true);
  return Array.isArray(value) && value.every(isName);
}

function namesText(values: readonly string[] | undefined): string {
  return values ? `a list of ${values.join(", ")}` : "a list of strings";
}

function inRange(value: Json | undefined, range: { is: string; min: number; max?: number }): boolean {
  if (typeof value !== "number" || !Number.isFinite(value)) return false;
  if (range.is === "integer" && !Number.isSafeInteger(value)) return false;
  return value >= range.min && value <= (range.max ?? Number.POSITIVE_INFINITY);
}

function rangeText(range: { is: string; min: number; max?: number }): string {
  const noun = range.is === "integer" ? "a whole number" : "a number";
  if (range.max !== undefined) return `${noun} from ${range.min} to ${range.max}`;
  return range.is === "integer" ? `${noun} of at least ${range.min}` : `${noun} above 0`;
}

function shown(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function unique(names: readonly (string | undefined)[]): string[] {
  return [...new Set(names.filter((name) => name !== undefined))];
}
