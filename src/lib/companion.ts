// A program that runs beside Cinch and is spoken to over its pipes for as long as it is needed: in a group of its own, known
// to the supervisor from its first moment, ended with everything it started.
// Invariant: `ended` settles exactly once, whatever happens to the program; after `stop` nothing of it is alive.

import type { Readable, Writable } from "node:stream";
import { codeOf, messageOf } from "../core/errors.js";
import { endMarked, markName } from "./marked.js";
import { exitOf, startGroup, startGroupOnPipes } from "./process.js";
import { endGroup } from "./process-group.js";
import type { GroupGuard } from "./supervisor.js";

export interface CompanionStart {
  argv: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Ends the group if this process dies first. */
  guard: GroupGuard;
  /** Where it is spoken to; default its stdin and stdout. `pipes`: its descriptors 3 and 4. */
  over?: "stdio" | "pipes";
  /** What it writes there. */
  heard(chunk: Buffer): void;
}

export interface Companion {
  /** False: there never was a process; `ended` says why. */
  readonly isStarted: boolean;
  write(bytes: Buffer): void;
  /** How it ended, in a clause: `it ended with exit code 1`, `it could not be started: …`. Never rejects. */
  readonly ended: Promise<string>;
  /** The end of what it wrote to stderr. */
  complaint(): string;
  /** Ends it and what it started; resolves when that is done. `graceMs`: from TERM to KILL. */
  stop(graceMs: number): Promise<void>;
}

const keptComplaint = 2_000;

export function startCompanion({ argv, cwd, env, guard, over = "stdio", heard }: CompanionStart): Companion {
  const mark = guard.nextMark();
  const [file = "", ...args] = argv;
  const begun = performance.now();
  const begin = over === "pipes" ? startGroupOnPipes : startGroup;
  let child: ReturnType<typeof begin>;
  try {
    child = begin(file, args, { cwd, env: { ...env, [markName]: mark } });
  } catch (error) {
    // Some of the system's errors are thrown (E2BIG, ENAMETOOLONG), others are told by the child (ENOENT).
    if (codeOf(error) === undefined) throw error;
    return neverStarted(error);
  }
  const { pid } = child;
  const [input, output] = (over === "pipes" ? child.stdio.slice(3) : [child.stdin, child.stdout]) as [
    Writable,
    Readable,
  ];
  if (pid !== undefined) guard.guard(pid);
  let complaint = "";
  output.on("data", heard);
  child.stderr?.on("data", (chunk: Buffer) => {
    complaint = (complaint + chunk.toString("utf8")).slice(-keptComplaint);
  });
  // It may end without reading.
  input.on("error", () => {});
  const left = async () => {
    if (pid === undefined) return;
    await endGroup(pid, 500);
    await endMarked(mark, { since: { pid, begun }, graceMs: 500 });
    guard.release(pid);
  };
  const ended = exitOf(child).then(
    ({ exit, signal }) => (signal === null ? `it ended with exit code ${exit}` : `it was ended by ${signal}`),
    (error: unknown) => notStarted(error),
  );
  const cleared = ended.then(left);
  return {
    isStarted: pid !== undefined,
    write: (bytes) => void input.write(bytes),
    ended,
    complaint: () => complaint.trim(),
    async stop(graceMs) {
      if (pid !== undefined) await endGroup(pid, graceMs);
      await cleared;
      output.destroy();
      child.stderr?.destroy();
    },
  };
}

function neverStarted(error: unknown): Companion {
  const ended = Promise.resolve(notStarted(error));
  return { isStarted: false, write: () => {}, ended, complaint: () => "", stop: async () => {} };
}

const reasons: Readonly<Record<string, string>> = {
  E2BIG: "its command line and environment are longer than this system takes",
  ENOENT: "its program, or what runs that, is not there",
  EACCES: "its program may not be executed",
};

function notStarted(error: unknown): string {
  const code = codeOf(error) ?? "";
  const reason = Object.hasOwn(reasons, code) ? `${reasons[code]} (${code})` : messageOf(error);
  return `it could not be started: ${reason}`;
}
