// What an applet is: a program of everyday use, for reading, that Cinch answers for itself, so that no shell is started.
// Invariant: `read` takes exactly the options whose output an applet reproduces byte for byte, and says null to any other;
// what an applet sees of the disk it sees through `AppletFiles`.

import type { ResolvedPath } from "../lib/paths.js";

export type Stats = NonNullable<ResolvedPath["stat"]>;

export interface Entry {
  name: string;
  isFile(): boolean;
  isDirectory(): boolean;
}

/** What a path names. */
export interface Found {
  /** Canonical; of a link that was not followed, its own place. */
  path: string;
  stat: Stats;
}

/** Paths are absolute. */
export interface AppletFiles {
  /** Throws an `AppletError` when nothing is there or it may not be looked at. `self`: a link is not followed. */
  look(path: string, self?: boolean): Found;
  /** What is known of the directory that one is in, which may lie outside of what can be looked at. */
  above(path: string): Stats;
  /** All bytes of a regular file. Throws an `AppletError`. */
  read(path: string): Promise<Buffer>;
  /** Throws an `AppletError`. */
  entries(path: string): Entry[];
  /** Where a link leads, as written in it. */
  target(path: string): string;
  /** May its content not be shown? Canonical. */
  conceals(path: string): boolean;
  /** Names of ids, where the machine has them. */
  owner(kind: "user" | "group", id: number): string;
  /** git, with nothing of the repository's settings, in this directory. */
  git(words: readonly string[], cwd: string): Promise<{ exit: number; out: Buffer; err: string }>;
}

export interface AppletRun {
  cwd: string;
  input: Buffer;
  files: AppletFiles;
  /** Whole seconds, of the machine's clock. */
  now: number;
  /** Lets others have their turn; throws when the command is to end. */
  breathe(): Promise<void>;
  out(bytes: Buffer | string): void;
  err(text: string): void;
}

/** To the exit code. */
export type Answer = (run: AppletRun) => Promise<number>;

/** From the words after its name to what gives the answer; null where that is not the applet's. */
export type Applet = (words: readonly string[]) => Answer | null;

/** What the system says when a path can't be read, in the words of every program. */
export class AppletError extends Error {
  override name = "AppletError";
}

export const absolute = (cwd: string, path: string): string =>
  path.startsWith("/") ? path : `${cwd === "/" ? "" : cwd}/${path}`;

/** Runs `act`; what the system says against it goes to `err` after `prefix`, and the answer is null. */
export async function told<Result>(run: AppletRun, prefix: string, act: () => Result): Promise<Awaited<Result> | null> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof AppletError)) throw error;
    run.err(`${prefix}: ${error.message}\n`);
    return null;
  }
}
