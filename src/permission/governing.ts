// The protected paths that lie directly in one directory, each with the way in which a sandbox can keep it as it is, and
// where others might appear. What is protected is said in protected.ts alone.
// Only looks, at names: two levels and the inside of `.git`. What lies deeper in a project is not found here.

import { codeOf } from "../core/errors.js";
import type { Fs } from "../lib/fs.js";
import { isRoutine } from "./git-directory.js";
import { isProtectedPath, protectedBelow, speaks, startsThings } from "./protected.js";

export interface Governing {
  /** Are there, and may not change. */
  fixed: string[];
  /** Directories on the way to them: what else is in them may change, but they stay where they are. */
  held: string[];
  /** Are not there, and nothing may take the name. */
  absent: string[];
  /** Can only be compared with before: links, and what nothing else may stand in the place of. */
  watched: string[];
  /** Directories, there or not, in which no other protected name may appear. */
  open: Place[];
}

export interface Place {
  directory: string;
  /** The names above its own that count: those of `protectedBelow`. */
  below: readonly string[];
}

interface Entry {
  name: string;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

/** In `.git` these count as soon as they are there. */
const gitAbsent = ["config", "hooks", "commondir"];

export function governingIn(disk: Fs, directory: string): Governing {
  const found: Governing = { fixed: [], held: [], absent: [], watched: [], open: [] };
  const entries = list(disk, directory);
  const names = new Set(entries.map(({ name }) => name));
  for (const entry of entries) {
    const path = join(directory, entry.name);
    if (entry.name === ".git" && entry.isDirectory()) inGit(disk, path, found);
    else if (isProtectedPath([entry.name])) keep(entry, path, found);
    else if (entry.isDirectory() && outer.has(entry.name)) inside(disk, path, entry.name, found);
  }
  const missing = (those: readonly string[]) =>
    those.filter((name) => !names.has(name)).map((name) => join(directory, name));
  found.absent.push(...missing(startsThings));
  found.watched.push(...missing([".git", ...speaks]));
  found.open.push({ directory, below: [] });
  for (const name of outer) found.open.push({ directory: join(directory, name), below: [name] });
  return found;
}

/** The protected paths directly in a place. */
export function protectedIn(disk: Fs, { directory, below }: Place): string[] {
  const names = list(disk, directory).map(({ name }) => name);
  return names.filter((name) => isProtectedPath([...below, name])).map((name) => join(directory, name));
}

/** The governing names directly in a directory, or directly in one of that name, that are links. */
export function governingLinks(disk: Fs, directory: string): string[] {
  return list(disk, directory).flatMap((entry) => {
    const path = join(directory, entry.name);
    const isOurs = isProtectedPath([entry.name]) || outer.has(entry.name);
    if (!isOurs || entry.isSymbolicLink()) return isOurs ? [path] : [];
    if (!entry.isDirectory()) return [];
    const inner = [path, ...(entry.name === ".git" ? [join(path, "hooks")] : [])];
    return inner.flatMap((each) => linksIn(disk, each));
  });
}

function linksIn(disk: Fs, directory: string): string[] {
  const links = list(disk, directory).filter((entry) => entry.isSymbolicLink());
  return links.map(({ name }) => join(directory, name));
}

const outer = new Set(protectedBelow.map(([name]) => name));

function inside(disk: Fs, path: string, name: string, found: Governing): void {
  const inner = list(disk, path).filter((entry) => isProtectedPath([name, entry.name]));
  for (const entry of inner) keep(entry, join(path, entry.name), found);
  if (inner.length > 0) found.held.push(path);
}

function inGit(disk: Fs, git: string, found: Governing): void {
  found.held.push(git);
  const entries = list(disk, git);
  for (const entry of entries) if (!isRoutine(entry.name)) keep(entry, join(git, entry.name), found);
  const names = new Set(entries.map(({ name }) => name));
  found.watched.push(...gitAbsent.filter((name) => !names.has(name)).map((name) => join(git, name)));
}

function keep(entry: Entry, path: string, { fixed, watched }: Governing): void {
  (entry.isSymbolicLink() ? watched : fixed).push(path);
}

/** Nothing where there is no such directory (any more), or none that may be read. */
function list(disk: Fs, directory: string): Entry[] {
  try {
    return disk.readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES"].includes(codeOf(error) ?? "")) return [];
    throw error;
  }
}

function join(directory: string, name: string): string {
  return directory === "/" ? `/${name}` : `${directory}/${name}`;
}
