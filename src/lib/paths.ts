// Paths as the kernel sees them: the walk that every containment check rests on, and how a path is shown.
// Invariant: `resolvePath` expands links, applies `..` to the *canonical* prefix and keeps a missing tail literally, so
// its answer is the place the kernel would reach (a textual `path.resolve` is wrong wherever a link meets a `..`).
// POSIX only: `/` separates, nothing folds case. It decides nothing; callers compare the answer with their roots.

import type { Stats } from "node:fs";
import { posix } from "node:path";
import type { Fs } from "./fs.js";

export interface ResolvedPath {
  /** Canonical absolute path; components that do not exist are kept as written. */
  path: string;
  /** What is there, never a link; null when nothing is. */
  stat: Stats | null;
  /** A link on the way points to something that does not exist. */
  dangling: boolean;
  /** An existing part of the path that would have to be a directory and is none. */
  blockedBy: string | null;
  /** What else the place is called on the way there: the whole path as it reads at each link, the first one as given. */
  names: readonly string[];
}

/** `empty` and `nul` are bad arguments, `loop` is more than 40 links. */
export class PathError extends Error {
  override name = "PathError";
  readonly kind: "empty" | "nul" | "loop";

  constructor(kind: "empty" | "nul" | "loop") {
    const texts = {
      empty: "the path is empty",
      nul: "the path contains a NUL character",
      loop: "the path runs through too many links",
    };
    super(texts[kind]);
    this.kind = kind;
  }
}

/** The further names of a place, where it has any. */
export function alsoCalled(names: readonly string[]): { names?: readonly string[] } {
  return names.length > 0 ? { names } : {};
}

const maxLinks = 40;

/**
 * Resolves `input` against `base`, an absolute canonical directory.
 * Throws PathError, or the system's error when a component cannot be examined (EACCES, ENAMETOOLONG, …).
 */
export function resolvePath(disk: Pick<Fs, "lstatSync" | "readlinkSync">, base: string, input: string): ResolvedPath {
  if (input === "") throw new PathError("empty");
  if (input.includes("\0")) throw new PathError("nul");
  const below = within(base, input);
  let current = below || !input.startsWith("/") ? base : "/";
  const pending = names(below ? input.slice(base.length) : input).map((name) => ({ name, linked: false }));
  pending.reverse();
  let stat: Stats | null = null;
  let links = 0;
  let missing = 0;
  let dangling = false;
  let blockedBy: string | null = null;
  const called = new Set<string>();
  for (let step = pending.pop(); step; step = pending.pop()) {
    if (stat && !stat.isDirectory()) blockedBy ??= current;
    if (step.name === "..") {
      current = parent(current);
      if (missing > 0) missing--;
      stat = null;
      continue;
    }
    const next = join(current, step.name);
    stat = missing > 0 || blockedBy !== null ? null : (disk.lstatSync(next, { throwIfNoEntry: false }) ?? null);
    if (stat?.isSymbolicLink()) {
      if (++links > maxLinks) throw new PathError("loop");
      const rest = pending.map(({ name }) => name).reverse();
      called.add(posix.join(next, ...rest));
      const target = disk.readlinkSync(next, "utf8");
      if (target.startsWith("/")) current = "/";
      for (const name of names(target).reverse()) pending.push({ name, linked: true });
      stat = null;
      continue;
    }
    if (!stat) {
      missing++;
      if (step.linked) dangling = true;
    }
    current = next;
  }
  stat ??= missing > 0 ? null : (disk.lstatSync(current, { throwIfNoEntry: false }) ?? null);
  called.delete(current);
  return { path: current, stat, dangling, blockedBy, names: [...called] };
}

function names(path: string): string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}

function join(directory: string, name: string): string {
  return directory === "/" ? `/${name}` : `${directory}/${name}`;
}

/** The directory that holds `path`; `/` holds itself. */
export function parent(path: string): string {
  const cut = path.lastIndexOf("/");
  return cut <= 0 ? "/" : path.slice(0, cut);
}

/** Whether `path` is `directory` or lies below it. Both absolute; compare canonical paths only. */
export function within(directory: string, path: string): boolean {
  if (path === directory || directory === "/") return path.startsWith("/");
  return path.startsWith(`${directory}/`);
}

/**
 * Whether `path` lies in one of `directories`, and not in one of `bases` that lies in there itself: who keeps everything in
 * one place may have projects below it.
 */
export function withinApart(directories: readonly string[], path: string, bases: readonly string[]): boolean {
  const holds = (directory: string, base: string) => base !== directory && within(directory, base);
  return directories.some(
    (directory) => within(directory, path) && !bases.some((base) => holds(directory, base) && within(base, path)),
  );
}

/** `path` relative to `root` when inside it (`.` for the root itself), escaped so that it is one line. */
export function shownPath(root: string, path: string): string {
  if (path === root) return ".";
  return printable(within(root, path) ? path.slice(root === "/" ? 1 : root.length + 1) : path);
}

/** False where the kernel shows itself: what is there under the names of files waits, lies about its size, or is somebody's memory. */
export function holdsFiles(path: string): boolean {
  return !["/proc", "/sys", "/dev"].some((directory) => within(directory, path));
}

const unprintable =
  /\u034f|[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0]|\udb40[\udc00-\udc7f]/g;

/**
 * Control, direction and invisible characters as JSON escapes: a name cannot break a line, forge one or pass for another,
 * and stays usable. Joiners stay: pictures and some scripts are written with them.
 */
export function printable(text: string): string {
  return text.replace(unprintable, (units) => {
    const short = JSON.stringify(units).slice(1, -1);
    if (short.length > units.length) return short;
    return units
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join("");
  });
}
