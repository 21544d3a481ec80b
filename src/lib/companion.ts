// A program that runs beside Cinch and is spoken to over its pipes for as long as it is needed: in a group of its own, known
// to the supervisor from its first moment, ended with everything it started.
// Invariant: `ended` settles exactly once, whatever happens to the program; after `stop` nothing of it is alive.

import { endMarked, markName } from "./marked.js";
import { beginGroup, exitOf, type NotStarted } from "./process.js";
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
  const group = beginGroup(file, args, { cwd, env: { ...env, [markName]: mark }, over });
  if (group.pid === undefined) return neverStarted(group.failed);
  const { child, pid, input, output, errors } = group;
  guard.guard(pid);
  let complaint = "";
  output.on("data", heard);
  errors.on("data", (chunk: Buffer) => {
    complaint = (complaint + chunk.toString("utf8")).slice(-keptComplaint);
  });
  // It may end without reading.
  input.on("error", () => {});
  const left = async () => {
    await endGroup(pid, 500);
    await endMarked(mark, { since: { pid, begun }, graceMs: 500 });
    guard.release(pid);
  };
  const ended = exitOf(child).then(({ exit, signal }) =>
    signal === null ? `it ended with exit code ${exit}` : `it was ended by ${signal}`,
  );
  const cleared = ended.then(left);
  return {
    isStarted: true,
    write: (bytes) => void input.write(bytes),
    ended,
    complaint: () => complaint.trim(),
    async stop(graceMs) {
      await endGroup(pid, graceMs);
      await cleared;
      output.destroy();
      errors.destroy();
    },
  };
}

function neverStarted(failed: Promise<NotStarted>): Companion {
  return {
    isStarted: false,
    write: () => {},
    ended: failed.then(notStarted),
    complaint: () => "",
    stop: async () => {},
  };
}

const reasons: Readonly<Record<string, string>> = {
  E2BIG: "its command line and environment are longer than this system takes",
  ENOENT: "its program, or what runs that, is not there",
  EACCES: "its program may not be executed",
  EMFILE: "Cinch has too many files open",
  ENFILE: "too many files are open on this system",
  EAGAIN: "the system starts no more processes for this user",
};

function notStarted({ code = "", message }: NotStarted): string {
  const reason = Object.hasOwn(reasons, code) ? `${reasons[code]} (${code})` : message;
  return `it could not be started: ${reason}`;
}
