// Where sessions are and how one is named: state/sessions/<project>/<id>.jsonl, and below agents/ those that work on a task.
// Invariants: a name from outside never becomes a path (it is compared with what a listing found); listing reads at
// most the first 4 KB of each file and changes nothing. Does not open sessions for writing: that is log.ts.

import { basename, dirname, join } from "node:path";
import { codeOf, UserError } from "../core/errors.js";
import type { Ids } from "../core/ids.js";
import type { Fs } from "../lib/fs.js";
import { sha256 } from "../lib/hash.js";
import { isObject, parseJson } from "../lib/json.js";
import { lookAtLock } from "../lib/lock.js";
import { lastUse } from "./last-use.js";

export interface SessionInfo {
  id: string;
  file: string;
  /** The directory the session works in. */
  root: string;
  /** ISO time, or "" when unknown. */
  created: string;
  /** Name given with a `label` entry on the header, or null. */
  label: string | null;
  /** The task it works or worked on, as which agent, and for which session; null = a person began it. */
  task: { id: string; agent: string; above: string } | null;
  /** Bytes. */
  size: number;
  /** Milliseconds since the epoch. */
  mtime: number;
  /** Why it cannot be resumed, as far as the first lines tell; null = nothing wrong there. */
  problem: string | null;
}

const headBytes = 4096;
const agents = "agents";
const extension = ".jsonl";
const damagedFirst = "has a damaged first line";

/** Basename of the root and 8 hex of its hash. Characters that no terminal should see become `_`. */
export function projectKey(canonicalRoot: string): string {
  const name = basename(canonicalRoot).replace(/[\u0000-\u001f\u007f-\u009f\\]/g, "_") || "root";
  // 255 bytes are all that a file name may have.
  const short = Buffer.byteLength(name) > 200 ? `${[...name].slice(0, 50).join("")}` : name;
  return `${short}-${sha256(canonicalRoot).slice(0, 8)}`;
}

export function sessionDir(stateDir: string, project: string): string {
  return join(stateDir, "sessions", project);
}

/** Where sessions are that work on tasks, below those of a project. */
export function agentDir(sessions: string): string {
  return join(sessions, agents);
}

/** Where those are that work for the session in this file. */
export function agentDirOf(file: string): string {
  const own = dirname(file);
  return basename(own) === agents ? own : agentDir(own);
}

/** The one with this id among them. */
export function agentFileOf(file: string, id: string): string {
  return join(agentDirOf(file), `${id}${extension}`);
}

/** The process that holds the session in this file; null: none does. */
export function holderOf(disk: Fs, file: string): ReturnType<typeof lookAtLock> {
  return lookAtLock(disk, lockFile(file));
}

export function lockFile(file: string): string {
  return `${file.slice(0, -extension.length)}.lock`;
}

export function createId(ids: Ids): string {
  return ids.next();
}

/** Safe as a file name and never taken for an option. */
export function isSessionId(text: string): boolean {
  return /^[0-9a-z][0-9a-z-]{3,63}$/.test(text);
}

/** The form that is shown. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}

/** Sessions of one directory, newest first. Files that are no sessions are left out, damaged ones say so in `problem`. */
export function listSessions(disk: Fs, dir: string): SessionInfo[] {
  return candidates(disk, dir).map((found) => describe(disk, found));
}

/** Sessions of all projects, newest first within each. */
export function allSessions(disk: Fs, stateDir: string): SessionInfo[] {
  return names(disk, join(stateDir, "sessions")).flatMap((project) =>
    listSessions(disk, sessionDir(stateDir, project)),
  );
}

/** Sessions that work or worked on a task, of all projects. */
function agentSessions(disk: Fs, stateDir: string): SessionInfo[] {
  return names(disk, join(stateDir, "sessions")).flatMap((project) =>
    listSessions(disk, agentDir(sessionDir(stateDir, project))),
  );
}

/**
 * Those that worked for the session in this file, or for one of these, oldest first: whoever gave a task stands before it.
 * `listed`: all of the project's that work for somebody.
 */
export function sessionsBelow(
  disk: Fs,
  { id, file }: Pick<SessionInfo, "id" | "file">,
  listed: readonly SessionInfo[] = listSessions(disk, agentDirOf(file)),
): SessionInfo[] {
  const below = new Set([id]);
  const all = [...listed].sort((a, b) => (a.created < b.created ? -1 : a.created > b.created ? 1 : 0));
  return all.filter(({ id: each, task }) => task !== null && below.has(task.above) && below.add(each));
}

/**
 * The session that was worked in last, or null. One with a damaged first line counts: opening it says so. One in which nothing
 * was said counts only beside no other.
 */
export function newest(disk: Fs, dir: string): SessionInfo | null {
  let best: { info: SessionInfo; used: number } | undefined;
  let silent: SessionInfo | undefined;
  for (const found of candidates(disk, dir)) {
    // A file is never older than what was said in it.
    if (best && best.used >= found.mtime) break;
    const info = describe(disk, found);
    if (info.problem !== null && info.problem !== damagedFirst) continue;
    const used = usedAt(disk, info);
    if (used === null) silent ??= info;
    else if (!best || used > best.used) best = { info, used };
  }
  return best?.info ?? silent ?? null;
}

/** Milliseconds since the epoch; null = nothing was said in it yet. An imported session was used when it was imported. */
export function usedAt(disk: Fs, info: SessionInfo): number | null {
  if (info.problem !== null) return info.mtime;
  const used = lastUse(disk, info);
  return used === null ? null : Math.max(used, Date.parse(info.created) || 0);
}

/** Where sessions are that a person began, beside the one in this file. */
export function personalDirOf(file: string): string {
  const own = dirname(file);
  return basename(own) === agents ? dirname(own) : own;
}

interface Found {
  id: string;
  file: string;
  size: number;
  mtime: number;
}

function candidates(disk: Fs, dir: string): Found[] {
  const found: Found[] = [];
  for (const name of names(disk, dir)) {
    const id = name.slice(0, -extension.length);
    if (!name.endsWith(extension) || !isSessionId(id)) continue;
    const file = join(dir, name);
    const stat = disk.lstatSync(file, { throwIfNoEntry: false });
    if (stat?.isFile()) found.push({ id, file, size: stat.size, mtime: stat.mtimeMs });
  }
  return found.sort((a, b) => b.mtime - a.mtime || (a.id < b.id ? 1 : -1));
}

function names(disk: Fs, dir: string): string[] {
  try {
    return disk.readdirSync(dir);
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return [];
    throw error;
  }
}

function describe(disk: Fs, found: Found): SessionInfo {
  const info: SessionInfo = { ...found, root: "", created: "", label: null, task: null, problem: null };
  const text = headText(disk, found.file);
  const [first, ...rest] = text.split("\n").slice(0, -1).map(parseJson);
  const header = isObject(first) && isObject(first["data"]) ? first["data"] : null;
  if (!isObject(first) || header?.["format"] !== "cinch-session") {
    if (/\n\{"v":\d+,"seq":\d+,"id":"/.test(text)) return { ...info, problem: damagedFirst };
    return { ...info, problem: found.size === 0 ? "is empty" : "does not begin with a session header" };
  }
  info.root = textOf(header["root"]);
  info.created = textOf(header["created"]);
  const task = textOf(header["task"]);
  if (task !== "") info.task = { id: task, agent: textOf(header["agent"]), above: textOf(header["parentSession"]) };
  for (const line of rest) {
    const data = isObject(line) && line["type"] === "label" ? line["data"] : null;
    if (!isObject(data) || data["target"] !== first["id"]) continue;
    info.label = typeof data["text"] === "string" ? data["text"] : null;
  }
  return info;
}

/** The first bytes, as latin1. */
function headText(disk: Fs, file: string): string {
  const fd = disk.openSync(file, "r");
  try {
    const bytes = Buffer.alloc(headBytes);
    return bytes.toString("latin1", 0, disk.readSync(fd, bytes, 0, headBytes, 0));
  } finally {
    disk.closeSync(fd);
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/**
 * The session meant by an id, a unique prefix of at least 4 characters, or a label: of this project first, then of all,
 * then of agents.
 * @throws UserError naming the candidates when several fit, the newest few when none does
 */
export function resolveSession(disk: Fs, stateDir: string, project: string, query: string): SessionInfo {
  const wanted = checked(query);
  const here = listSessions(disk, sessionDir(stateDir, project));
  const local = match(here, wanted);
  if (local) return local;
  const all = allSessions(disk, stateDir);
  const distant = match(all, wanted);
  if (distant) return distant;
  const agent = match(agentSessions(disk, stateDir), wanted);
  if (agent) return agent;
  const latest = here.length > 0 ? here : all;
  const shown = latest.slice(0, 5).map((info) => `${shortId(info.id)}${info.label ? ` (${info.label})` : ""}`);
  const short = wanted.length < 4 ? "The beginning of an id must have 4 characters or more. " : "";
  const fix = shown.length > 0 ? `${short}The newest are: ${shown.join(", ")}.` : "There are no sessions yet.";
  throw new UserError(`there is no session "${wanted}"`, fix);
}

function checked(query: string): string {
  const hostile = query === "" || query.startsWith("-") || /[/\\\u0000-\u001f\u007f]/.test(query) || query === "..";
  if (!hostile) return query;
  const fix = "Give an id, the first 4 or more characters of one, or a label.";
  throw new UserError(`${JSON.stringify(query)} is not a session id`, fix);
}

function match(sessions: readonly SessionInfo[], query: string): SessionInfo | null {
  const exact = sessions.find((info) => info.id === query);
  if (exact) return exact;
  const labelled = sessions.filter((info) => info.label === query);
  const fitting =
    labelled.length > 0 || query.length < 4 ? labelled : sessions.filter((info) => info.id.startsWith(query));
  const [only] = fitting;
  if (fitting.length <= 1) return only ?? null;
  const shown = fitting.slice(0, 8).map((info) => `${info.id} (${info.root}, ${info.created})`);
  throw new UserError(`"${query}" fits ${fitting.length} sessions: ${shown.join(", ")}`, "Give more of the id.");
}
