// Starting programs: the only file that imports node:child_process, and `begin` is its only door to it.
// Invariant: a shell command runs in a process group of its own, without stdin or terminal, and when `runShell` settles
// nothing of that group is alive. Memory stays bounded whatever it prints; what is cut is in a 0600 file, up to a cap.
// A child that left the group with setsid is found by the mark in its environment (marked.ts).

import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { codeOf, messageOf } from "../core/errors.js";
import type { ShellOutcome } from "../core/ports.js";
import type { Pieces } from "../core/redactor.js";
import { CommandOutput } from "./command-output.js";
import type { Fs } from "./fs.js";
import { endMarked, markName } from "./marked.js";
import { endGroup, leftovers } from "./process-group.js";
import { RunningTimer } from "./running-timer.js";
import { defaultLimits, type ShellLimits } from "./shell-limits.js";
import type { GroupGuard } from "./supervisor.js";

export interface ShellRun {
  command: string;
  cwd: string;
  env: Readonly<Record<string, string>>;
  timeoutMs: number;
  signal: AbortSignal;
  onLine?: (line: string) => void;
  /** Where the whole output goes when it is too long; made when needed. */
  spillDir: string;
  disk: Fs;
  /** Ends the group if this process dies first. */
  guard: GroupGuard;
  /** From the command line of bash to what is run in its place. */
  confine?: (argv: readonly string[]) => readonly string[];
  /** Goes before the command, in its own shell. */
  before?: string;
  /** Takes secrets out of the output. Absent: it is kept as it comes. */
  redacting?: Pieces<Buffer>;
  /** stdout and stderr are wanted each by itself as well: a redactor for either. Their order is then that of arrival. */
  streams?: readonly Pieces<Buffer>[];
  limits?: Partial<ShellLimits>;
}

/** What is known of a command once it has ended, wherever it ran. */
export type Ended = Omit<ShellOutcome, "confined" | "notes">;

// stderr joins stdout so that both arrive in the order they were written; syntax errors still use the second pipe.
const prelude = "exec 2>&1; ";

let bash: string | undefined;

/** Absolute path of bash, found once; never looked up in the project. */
export function bashPath(disk: Fs): string {
  bash ??= ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/opt/homebrew/bin/bash"].find((path) =>
    disk.existsSync(path),
  );
  if (!bash)
    throw Object.assign(new Error("bash was not found in /bin, /usr/bin or /usr/local/bin"), { code: "ENOENT" });
  return bash;
}

/** `cd` and `..` go by directories and not by names: what a command does is judged by where its paths lead. */
const physical = "set -o physical; ";

/** The command line of a script. */
export function bashCommand(disk: Fs, script: string): string[] {
  return [bashPath(disk), "--noprofile", "--norc", "-c", physical + script];
}

/** The system did not start a program; `code` is its own word for why (ENOENT, E2BIG, EAGAIN, EMFILE, …). */
export class NotStarted extends Error {
  override name = "NotStarted";
  readonly code: string | undefined;

  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
    this.code = codeOf(cause);
  }
}

type Begun<Child> = { child: Child; pid: number } | { pid: undefined; failed: Promise<NotStarted> };

/**
 * Starts a program. Whatever the system says against it is in `failed`: some of its errors are thrown (E2BIG), others told by
 * the child later (ENOENT), and with no descriptors left (EMFILE) the child has no streams, so nothing of it is handed out.
 */
function begin<Child extends ChildProcess>(file: string, args: readonly string[], options: SpawnOptions): Begun<Child> {
  try {
    const child = spawn(file, args, options);
    const { pid } = child;
    const failed = new Promise<NotStarted>((resolve) => {
      child.on("error", (error) => resolve(new NotStarted(error)));
    });
    return pid === undefined ? { pid, failed } : { child: child as Child, pid };
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return { pid: undefined, failed: Promise.resolve(new NotStarted(error)) };
  }
}

async function running<Child>(begun: Begun<Child>): Promise<{ child: Child; pid: number }> {
  if (begun.pid === undefined) throw await begun.failed;
  return begun;
}

/** Runs one command to its end. Rejects with NotStarted when it cannot be started. */
export async function runShell(run: ShellRun): Promise<Ended> {
  const limits = { ...defaultLimits, ...run.limits };
  const started = performance.now();
  const { spillDir, disk, onLine, redacting, streams } = run;
  const output = new CommandOutput({ ...limits, spillDir, disk, onLine, redacting, streams });
  const end = { timedOut: false, cancelled: false, flooded: false };
  if (run.signal.aborted) return result(output, { exit: null, signal: null }, { ...end, cancelled: true }, started, 0);
  const mark = run.guard.nextMark();
  const plain = bashCommand(run.disk, (run.before ?? "") + (run.streams ? "" : prelude) + run.command);
  const [file = "", ...args] = run.confine?.(plain) ?? plain;
  const env = { ...run.env, [markName]: mark };
  const { child, pid } = await running(
    begin<ChildProcess>(file, args, { cwd: run.cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] }),
  );
  const exit = exitOf(child);
  run.guard.guard(pid);
  let ending: Promise<void> | undefined;
  const stop = (why: keyof typeof end, graceMs: number) => {
    if (ending) return;
    end[why] = true;
    ending = endGroup(pid, graceMs);
  };
  const closed = pump(child, output, () => stop("flooded", limits.cancelGraceMs), limits.total);
  const timer = new RunningTimer(run.timeoutMs, () => stop("timedOut", limits.graceMs));
  const onAbort = () => stop("cancelled", limits.cancelGraceMs);
  run.signal.addEventListener("abort", onAbort, { once: true });
  if (run.signal.aborted) onAbort();
  let left = 0;
  try {
    const status = await exit;
    timer.end();
    await within(closed, ending ? Math.min(50, limits.drainMs) : limits.drainMs);
    if (ending) await ending;
    else left = await leftovers(pid, limits.graceMs, run.signal, started);
    const graceMs = run.signal.aborted ? 0 : limits.graceMs;
    left += await endMarked(mark, { since: { pid, begun: started }, graceMs });
    return result(output, status, end, started, left);
  } finally {
    timer.end();
    run.signal.removeEventListener("abort", onAbort);
    run.guard.release(pid);
    child.stdout?.destroy();
    child.stderr?.destroy();
    output.close();
  }
}

/** How it ended. */
export function exitOf(child: ChildProcess): Promise<{ exit: number | null; signal: string | null }> {
  return new Promise((resolve) => {
    child.once("exit", (exit, signal) => resolve({ exit, signal }));
  });
}

/** Feeds the output; resolves when both pipes are closed. */
function pump(child: ChildProcess, output: CommandOutput, flooded: () => void, total: number): Promise<void> {
  const ends = [child.stdout, child.stderr].map(
    (stream, from) =>
      new Promise<void>((resolve) => {
        if (!stream) return resolve();
        stream.on("data", (chunk: Buffer) => {
          output.push(chunk, from);
          if (output.bytes > total) flooded();
        });
        stream.once("close", resolve);
        stream.once("error", () => resolve());
        return undefined;
      }),
  );
  return Promise.all(ends).then(() => undefined);
}

function result(
  output: CommandOutput,
  status: { exit: number | null; signal: string | null },
  end: { timedOut: boolean; cancelled: boolean; flooded: boolean },
  started: number,
  leftRunning: number,
): Ended {
  return {
    ...status,
    ...end,
    ...output.end(),
    output: output.render(),
    bytes: output.bytes,
    lines: output.lines,
    spill: output.spill,
    ms: Math.round(performance.now() - started),
    leftRunning,
  };
}

/** Waits, but no longer than this. */
export function within(promise: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

export interface ProgramPlace {
  cwd: string;
  env: Readonly<Record<string, string>>;
}

type Talking = ChildProcess & { stdin: Writable; stdout: Readable; stderr: Readable };

/** A program in a process group of its own. */
export interface Group {
  child: ChildProcess;
  pid: number;
  /** It reads this. */
  input: Writable;
  /** It writes this. */
  output: Readable;
  errors: Readable;
}

/** Starts one with all three pipes. Rejects with NotStarted. */
export async function startGroup(
  file: string,
  args: readonly string[],
  { cwd, env }: ProgramPlace,
): Promise<Group & { child: Talking }> {
  const stdio = ["pipe", "pipe", "pipe"] as const;
  const { child, pid } = await running<Talking>(begin(file, args, { cwd, env, detached: true, stdio: [...stdio] }));
  return { child, pid, input: child.stdin, output: child.stdout, errors: child.stderr };
}

/**
 * The same at once. `over`: it is spoken to over its stdin and stdout, or over two pipes of its own, 3 (it reads) and
 * 4 (it writes), as browsers want it.
 */
export function beginGroup(
  file: string,
  args: readonly string[],
  { cwd, env, over }: ProgramPlace & { over: "stdio" | "pipes" },
): Group | { pid: undefined; failed: Promise<NotStarted> } {
  const stdio: SpawnOptions["stdio"] =
    over === "pipes" ? ["ignore", "ignore", "pipe", "pipe", "pipe"] : ["pipe", "pipe", "pipe"];
  const begun = begin<ChildProcess>(file, args, { cwd, env, detached: true, stdio });
  if (begun.pid === undefined) return begun;
  const { child, pid } = begun;
  const [input, output] = over === "pipes" ? child.stdio.slice(3) : [child.stdin, child.stdout];
  return { child, pid, input: input as Writable, output: output as Readable, errors: child.stderr as Readable };
}

/** A program that is spoken to over its input and says nothing back. */
export interface Piped {
  write(text: string): void;
  ended(): boolean;
}

/** Starts one in a session of its own; neither it nor its pipe keeps this process alive. */
export function startPiped(file: string, args: readonly string[], { cwd, env }: ProgramPlace): Piped {
  const begun = begin<ChildProcess & { stdin: Writable }>(file, args, {
    ...{ cwd, env, detached: true },
    stdio: ["pipe", "ignore", "ignore"],
  });
  if (begun.pid === undefined) return { write: () => {}, ended: () => true };
  const { child } = begun;
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  child.once("exit", over);
  // Written to after it ended: the next `ended()` tells.
  child.stdin.on("error", over);
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  return { write: (text) => void child.stdin.write(text), ended: () => isOver };
}

/** One that watches over another program. `first`: the line it begins with, or ""; `leave`: it goes on alone. */
export interface Watched extends Pick<Piped, "write"> {
  pid: number;
  first: Promise<string>;
  /** Rejects when it could not be started. */
  ended: Promise<void>;
  leave(): void;
}

export function startWatched(file: string, args: readonly string[], { cwd, env }: ProgramPlace): Watched {
  const begun = begin<Talking>(file, args, { cwd, env, detached: true, stdio: ["pipe", "pipe", "ignore"] });
  if (begun.pid === undefined) {
    const ended = begun.failed.then((error) => Promise.reject(error));
    ended.catch(() => {}); // Whoever waits for it hears of it, as late as they like.
    return { pid: 0, first: Promise.resolve(""), ended, write: () => {}, leave: () => {} };
  }
  const { child, pid } = begun;
  let said = "";
  const first = new Promise<string>((resolve) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (said.includes("\n")) resolve(said.split("\n", 1)[0] ?? "");
    });
    child.stdout.once("close", () => resolve(""));
  });
  child.stdin.on("error", () => {}); // Written to after it ended: `ended` tells.
  return {
    pid,
    first,
    ended: exitOf(child).then(() => undefined),
    write: (text) => void child.stdin.write(text),
    leave() {
      for (const one of [child, child.stdin, child.stdout] as unknown as { unref(): void }[]) one.unref();
    },
  };
}

export interface ProgramRun {
  cwd: string;
  env: Readonly<Record<string, string>>;
  signal: AbortSignal;
  /** What it reads on stdin; absent: nothing. */
  input?: string;
  /** Gets stdout as it comes; return false to end the program, which then counts as stopped. */
  onChunk(chunk: Buffer): boolean | undefined;
}

/** Runs one program directly, without a shell. Rejects with NotStarted; `stopped` by `onChunk` or the signal. */
export async function runProgram(
  file: string,
  args: readonly string[],
  run: ProgramRun,
): Promise<{ exit: number | null; stderr: string; stopped: boolean }> {
  const { cwd, env, input } = run;
  const stdio: SpawnOptions["stdio"] = [input === undefined ? "ignore" : "pipe", "pipe", "pipe"];
  const { child } = await running<Talking>(begin(file, args, { cwd, env, stdio }));
  if (input !== undefined) {
    // It may end without reading.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  }
  return new Promise((resolve) => {
    let stopped = false;
    let stderr = "";
    const stop = () => {
      stopped = true;
      child.kill("SIGKILL");
      // What it has started may hold the pipes for as long as it likes.
      for (const pipe of [child.stdout, child.stderr]) pipe.destroy();
    };
    if (run.signal.aborted) stop();
    run.signal.addEventListener("abort", stop, { once: true });
    child.stdout.on("data", (chunk: Buffer) => {
      if (!stopped && run.onChunk(chunk) === false) stop();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      if (stderr.length < 4_000) stderr += chunk.toString("utf8");
    });
    child.once("close", (exit) => {
      run.signal.removeEventListener("abort", stop);
      resolve({ exit, stderr, stopped });
    });
  });
}

/** Runs a program of the user's on the terminal itself; its exit code, null when it could not be started or was killed. */
export function runOnTerminal(
  file: string,
  args: readonly string[],
  { cwd, env }: { cwd: string; env: Readonly<Record<string, string | undefined>> },
): Promise<number | null> {
  const begun = begin(file, args, { cwd, env: env as NodeJS.ProcessEnv, stdio: "inherit" });
  if (begun.pid === undefined) return begun.failed.then(() => null);
  return exitOf(begun.child as ChildProcess).then(({ exit }) => exit);
}
