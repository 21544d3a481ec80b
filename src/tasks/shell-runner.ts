// Runs commands in the background, each under its watcher (shell-watch.ts), and says how they ended.
// Invariants: the command's process is on record before anything else is waited for; what is reported is what the watcher
// wrote down, and when it did not live to, the command is ended here and that is said; the log holds no known secret when
// the outcome is recorded. What is detached and belonged to a process that is gone is watched over again by its files.
// Not here: what a command may do, and in which sandbox (harness/).

import { codeOf, messageOf } from "../core/errors.js";
import type { Redactor } from "../core/redactor.js";
import type { TaskErrorKind, TaskRecord } from "../core/task.js";
import type { Fs } from "../lib/fs.js";
import { isGone, lifeOf } from "../lib/life.js";
import { endMarked } from "../lib/marked.js";
import type { Watched } from "../lib/process.js";
import { endGroup } from "../lib/process-group.js";
import { cutOutput, outputSize, readOutput, scrubOutput, tailBytes } from "./output.js";
import { type TaskControl, TaskEnd, type TaskOutcome, type TaskRunner } from "./queue.js";
import { type CommandEnd, readEnd, taskMark, watchCommand } from "./shell-watch.js";
import type { TaskStore } from "./store.js";

/** A command as it is to be started: words and environment, sandbox and all. */
export interface Launch {
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  /** After its end: puts things right, and says what was wrong. */
  settle(): readonly string[];
}

export interface ShellRunnerOptions {
  disk: Fs;
  store: TaskStore;
  redactor: Redactor;
  /** Bytes that the log of this task may hold. */
  cap(record: TaskRecord): number;
}

/** How often the files of a command are looked at whose watcher is nobody's child here. */
const lookEvery = 250;

export class ShellRunner implements TaskRunner {
  readonly #options: ShellRunnerOptions;
  readonly #launches = new Map<string, () => Promise<Launch>>();
  readonly #watched = new Map<string, Watched>();

  constructor(options: ShellRunnerOptions) {
    this.#options = options;
  }

  /** How a task that was just submitted is started; a Refusal thrown by it is what the task failed for. */
  prepare(id: string, launch: () => Promise<Launch>): void {
    this.#launches.set(id, launch);
  }

  async run(record: TaskRecord, control: TaskControl): Promise<TaskOutcome> {
    if (record.pid !== undefined) return this.#goOn(record, control);
    const launch = this.#launches.get(record.id);
    this.#launches.delete(record.id);
    if (!launch) return failure("spawn", "How it was to be started is not known any more.");
    let launched: Launch | undefined;
    let started = false;
    try {
      launched = await launch();
      started = true;
      const outcome = await this.#start(record, launched, control);
      const said = launched.settle().map((text) => `\n[${text}.]`);
      launched = undefined;
      return said.length === 0 ? outcome : { ...outcome, result: `${outcome.result ?? ""}${said.join("")}` };
    } catch (error) {
      if (!started || codeOf(error) !== undefined) return failure("spawn", messageOf(error));
      throw error;
    } finally {
      launched?.settle();
    }
  }

  /** The process and what it starts go on without this one. */
  leave(id: string): void {
    this.#watched.get(id)?.leave();
    this.#watched.delete(id);
  }

  async #start(record: TaskRecord, { argv, env }: Launch, control: TaskControl): Promise<TaskOutcome> {
    const { disk, store, cap } = this.#options;
    const { id, cwd, detach: detached, limits } = record;
    const [log, end, wish] = [store.file(id, "log"), store.file(id, "end"), store.file(id, "cancel")];
    disk.closeSync(disk.openSync(log, "a", 0o600));
    const seconds = limits.time === undefined ? null : Math.ceil(limits.time);
    const command = { id, argv, cwd, env, log, end, wish, seconds, cap: cap(record), detached };
    if (control.signal.aborted) return { state: "cancelled" };
    const watched = watchCommand(disk, command);
    this.#watched.set(id, watched);
    const stop = () => watched.write("cancel\n");
    control.signal.addEventListener("abort", stop, { once: true });
    // Aborted or ended while it starts: `ended` tells.
    const said = Number(await watched.first);
    const start = lifeOf(disk, watched.pid).start;
    if (said > 0) {
      const output = { path: log, bytes: 0, dropped: 0 };
      control.progress({ pid: watched.pid, pgid: said, output, ...(start === null ? {} : { start }) });
    }
    try {
      await watched.ended;
    } finally {
      control.signal.removeEventListener("abort", stop);
      this.#watched.delete(id);
    }
    return this.outcome(record, await this.#endOf(id, said), control.signal);
  }

  /** What the watcher wrote; when it was killed itself, the command is ended now. */
  async #endOf(id: string, group: number): Promise<CommandEnd | undefined> {
    const end = readEnd(this.#options.disk, this.#options.store.file(id, "end"));
    if (end) return end;
    if (group > 0) await endGroup(group, 500);
    await endMarked(taskMark(id), { graceMs: 500 });
    return undefined;
  }

  /** A command whose watcher another process has started. */
  async #goOn(record: TaskRecord, { signal }: TaskControl): Promise<TaskOutcome> {
    const { disk, store } = this.#options;
    const { id, owner } = record;
    const path = store.file(id, "end");
    const watcher = { ...owner, pid: record.pid ?? 0, start: record.start ?? null };
    const stop = () => store.wish(id);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    let end = readEnd(disk, path);
    while (!end && !isGone(disk, watcher, store.here)) {
      await new Promise<void>((resolve) => void setTimeout(resolve, lookEvery).unref());
      end = readEnd(disk, path);
    }
    signal.removeEventListener("abort", stop);
    // The group may be somebody else's by now; what carries the mark is the task's for certain.
    return this.outcome(record, end ?? (await this.#endOf(id, 0)), signal);
  }

  /** What the end of a command means for its task. Takes what is secret out of the log. */
  outcome(record: TaskRecord, end: CommandEnd | undefined, signal?: AbortSignal): TaskOutcome {
    const { disk, store, redactor, cap } = this.#options;
    const { id, limits } = record;
    const log = store.file(id, "log");
    const bytes = outputSize(disk, log);
    // What it printed before its watcher looked again is as much as a disk takes.
    const dropped = end?.why === "disk" ? Math.max(0, bytes - cap(record)) : 0;
    if (dropped > 0) cutOutput(disk, log, bytes - dropped);
    scrubOutput(disk, log, redactor);
    const { text } = readOutput(disk, log, { maxBytes: tailBytes }, redactor);
    const facts = {
      output: { path: log, bytes, dropped },
      result: end?.left ? `${text}\n[What it had left running was ended.]` : text,
      ...(end ? codes(end) : {}),
    };
    for (const what of ["end", "cancel"] as const) disk.rmSync(store.file(id, what), { force: true });
    const reason = signal?.reason instanceof TaskEnd ? signal.reason.why : undefined;
    return { ...facts, ...verdict(end, reason, limits.time, bytes) };
  }
}

function codes({ code }: CommandEnd): Pick<TaskOutcome, "exit_code" | "signal"> {
  const signal = code > 128 ? signalNames[code - 128] : undefined;
  return { exit_code: code, ...(signal ? { signal } : {}) };
}

const signalNames: Readonly<Record<number, string>> = {
  ...{ 1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 6: "SIGABRT", 8: "SIGFPE", 9: "SIGKILL" },
  ...{ 11: "SIGSEGV", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM" },
};

type Verdict = Pick<TaskOutcome, "state" | "error">;

function verdict(
  end: CommandEnd | undefined,
  reason: TaskEnd["why"] | undefined,
  seconds: number | undefined,
  bytes: number,
): Verdict {
  if (!end) {
    const text =
      "What watched over it was killed; whatever was left of the command was ended. Its exit code is not known.";
    return failure("crash", text);
  }
  switch (end.why) {
    case "cancelled":
      // Its own time is up, whoever looked at the clock first.
      if (reason === "timeout") return failure("timeout", timeText(seconds));
      return { state: "cancelled" };
    case "timeout":
      return failure("timeout", timeText(seconds));
    case "disk":
      return failure("budget", `It was ended after ${bytes} bytes of output, which is as much as may be kept.`);
    case "owner":
      return {
        state: "interrupted",
        error: { kind: "crash", text: "Cinch ended while it ran, so it was ended too. What it had printed is kept." },
      };
    default:
      return { state: end.code === 0 ? "succeeded" : "failed" };
  }
}

function timeText(seconds: number | undefined): string {
  return `It was ended after ${seconds ?? "?"} s, which is its time. What it had printed is kept.`;
}

function failure(kind: TaskErrorKind, text: string): TaskOutcome {
  return { state: "failed", error: { kind, text } };
}
