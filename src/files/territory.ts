// Where file tools may go: the project root, added directories, and for reading also directories of the session and the
// places outside that a plan has named (`admit`), whose decision is permission's.
// Invariant: every path from the model passes `locate`, whose answer is the canonical place the kernel would reach;
// links are judged by where they lead. It looks at names only and opens nothing.

import type { Stats } from "node:fs";
import { ModelError, Refusal } from "../core/errors.js";
import type { Claims, Place } from "../core/ports.js";
import type { Fs } from "../lib/fs.js";
import {
  alsoCalled,
  holdsFiles,
  PathError,
  printable,
  type ResolvedPath,
  resolvePath,
  shownPath,
  within,
} from "../lib/paths.js";
import { asModelError } from "./fault.js";

/** What the door asks of claims (claims.ts). */
export interface ClaimGuard extends Pick<Claims, "check"> {
  /** Makes the place this agent's until the end of the run; throws a Refusal when it is another's. */
  take(place: Place): void;
}

export interface TerritoryOptions {
  root: string;
  /** Where relative paths start, and what places are shown relative to. In the root; default: the root itself. */
  cwd?: string;
  /** Further directories, for reading and writing. */
  addDirs?: readonly string[];
  /** Further directories, for reading only. */
  readable?: readonly string[];
  /** Which places are another agent's to change. */
  claims?: ClaimGuard;
}

export interface Located {
  /** Canonical absolute path. */
  path: string;
  /** For messages: relative to the working directory when inside. */
  shown: string;
  stat: Stats | null;
  names?: readonly string[];
}

export class Territory {
  readonly root: string;
  readonly cwd: string;
  readonly #disk: Fs;
  readonly #writable: readonly string[];
  readonly #readable: readonly string[];
  readonly #claims: ClaimGuard | undefined;
  /** Canonical places outside. */
  readonly #admitted = new Set<string>();

  constructor(disk: Fs, options: TerritoryOptions) {
    this.#disk = disk;
    const canonical = (path: string) => {
      try {
        return resolvePath(disk, "/", path).path;
      } catch (error) {
        throw asModelError(error, printable(path), "Nothing was done.");
      }
    };
    this.root = canonical(options.root);
    this.cwd = options.cwd === undefined ? this.root : canonical(options.cwd);
    this.#writable = [this.root, ...(options.addDirs ?? []).map(canonical)];
    this.#readable = [...this.#writable, ...(options.readable ?? []).map(canonical)];
    this.#claims = options.claims;
  }

  /**
   * The place outside that a path leads to, for a plan that is to be decided about: from then on `locate` takes it, by its
   * canonical name and only while that leads nowhere else. Null for what is inside, and where no files are.
   */
  admit(path: string): Place | null {
    const { path: place, names } = this.#resolve(path, "Nothing was read.");
    if (!this.isOutside(place) || !holdsFiles(place)) return null;
    this.#admitted.add(place);
    return { path: place, shown: shownPath(this.cwd, place), ...alsoCalled(names) };
  }

  /** Is this canonical path none that may be read unasked? */
  isOutside(path: string): boolean {
    return !this.#readable.some((directory) => within(directory, path));
  }

  /** For reading. Throws a Refusal when the place is outside and was not admitted. */
  locate(path: string): Located {
    const admitted = this.#admitted.has(path) ? [path] : [];
    return this.#locate(path, [...this.#readable, ...admitted], "Nothing was read.").located;
  }

  /** The canonical place of a path, wherever it leads. Throws a ModelError where that cannot be told. */
  placeOf(path: string, now: string): string {
    return this.#resolve(path, now).path;
  }

  /** For changing. Throws a Refusal when the place is outside, another agent's, or reached through a link to nothing. */
  locateForChange(path: string): Located {
    const { located, resolved } = this.#locate(path, this.#writable, "Nothing was changed.");
    if (resolved.dangling) {
      const text = `${printable(path)} runs through a link whose target does not exist. Nothing was changed. Use the target's own path.`;
      throw new Refusal("outside", text);
    }
    if (!located.stat && path.endsWith("/")) {
      throw new Refusal(
        "not-a-file",
        `${printable(path)} names a directory, not a file. Nothing was changed. Name a file.`,
      );
    }
    this.#claims?.check(located);
    return located;
  }

  /** The link that a path names, itself and not what it leads to, for deleting it; null when it names none. */
  linkForChange(path: string): Located | null {
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (name === "" || name === "." || name === ".." || name.includes("\0")) return null;
    const now = "Nothing was changed.";
    const above = this.#resolve(path.slice(0, -name.length) || ".", now);
    const place = above.path === "/" ? `/${name}` : `${above.path}/${name}`;
    const stat = above.stat?.isDirectory() ? this.#lstat(place, now) : undefined;
    if (!stat?.isSymbolicLink()) return null;
    const shown = shownPath(this.cwd, place);
    if (!this.#writable.some((directory) => within(directory, place))) throw this.#outside(path, shown, now);
    const names = above.names.map((directory) => `${directory}/${name}`);
    const located = { path: place, shown, stat, ...alsoCalled(names) };
    this.#claims?.check(located);
    return located;
  }

  #locate(
    path: string,
    allowed: readonly string[],
    now: string,
  ): { located: Located; resolved: ResolvedPath; shown: string } {
    const resolved = this.#resolve(path, now);
    const shown = shownPath(this.cwd, resolved.path);
    const base = allowed.find((directory) => within(directory, resolved.path));
    if (base === undefined) throw this.#outside(path, shown, now);
    if (resolved.blockedBy !== null) {
      const text = `${shownPath(this.cwd, resolved.blockedBy)} is not a directory, so ${printable(path)} cannot exist. ${now}`;
      throw new Refusal("not-a-file", text, ["list"]);
    }
    if (!resolved.stat && !this.#admitted.has(base)) this.#mustStand(base, now);
    const located = { path: resolved.path, shown, stat: resolved.stat, ...alsoCalled(resolved.names) };
    return { located, resolved, shown };
  }

  /** Throws when the directory that a canonical path is in went away: a new file must not make it anew. */
  mustStandAround(path: string): void {
    const base = this.#writable.find((directory) => within(directory, path));
    if (base !== undefined) this.#mustStand(base, "Nothing was changed.");
  }

  #mustStand(base: string, now: string): void {
    if (this.#lstat(base, now)?.isDirectory()) return;
    const text = `The directory ${printable(base)} is gone: renamed, removed or unmounted. ${now} Tell the user.`;
    throw new Refusal("missing", text);
  }

  #outside(path: string, shown: string, now: string): Refusal {
    const through = printable(path) === shown ? "" : ` (it leads to ${shown})`;
    const text = `${printable(path)} is outside the project${through}. ${now} Paths are relative to ${this.cwd}.`;
    return new Refusal("outside", text);
  }

  #lstat(path: string, now: string): Stats | undefined {
    try {
      return this.#disk.lstatSync(path, { throwIfNoEntry: false });
    } catch (error) {
      throw asModelError(error, printable(path), now);
    }
  }

  #resolve(path: string, now: string): ResolvedPath {
    try {
      return resolvePath(this.#disk, this.cwd, path);
    } catch (error) {
      if (error instanceof PathError) throw new Refusal("input", `${error.message}: ${printable(path)}. ${now}`);
      const shown = path.length > 200 ? `${printable(path.slice(0, 200))}…` : printable(path);
      const fault = asModelError(error, shown, now);
      throw fault instanceof ModelError ? fault : error;
    }
  }
}

/** No shell reads these paths: who writes `~/x` and means the home directory is told what it became instead. */
export function tildeNote(path: string): string[] {
  if (path !== "~" && !path.startsWith("~/")) return [];
  return ["~ is not expanded: this is a name in the project, not the home directory"];
}

/** Throws the typed refusal when what is there is not a regular file. */
export function mustBeRegular({ shown, stat }: { shown: string; stat: Stats }, now: string): void {
  if (stat.isFile()) return;
  if (stat.isDirectory()) throw new Refusal("not-a-file", `${shown} is a directory, not a file. ${now}`, ["list"]);
  const what = stat.isFIFO()
    ? "a named pipe"
    : stat.isSocket()
      ? "a socket"
      : stat.isSymbolicLink()
        ? "a link"
        : "a device";
  throw new Refusal("not-a-file", `${shown} is ${what}, not a regular file. ${now}`);
}
