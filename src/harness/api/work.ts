// What a program does in a session it has opened without asking a model: tasks for agents, commands. Types only.

import type { JsonObject } from "../../core/json.js";
import type { FileChange } from "../../core/plan.js";
import type { Result } from "../../core/result.js";
import type { AgentTaskRequest, TaskRecord } from "../../core/task.js";
import type { CallStatus } from "../../core/tool.js";

export interface CommandOptions {
  /** Ten minutes at most; default two. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

export interface StartOptions {
  /** One line for lists of tasks. */
  title?: string;
  /** It goes on when the session ends; that needs a yes of its own. */
  detach?: boolean;
  /** Whatever whoever looks for it later needs; kept in its record. */
  metadata?: JsonObject;
  signal?: AbortSignal;
}

/** How a command ended that the program itself ran. */
export interface CommandOutcome {
  /** `denied`: nobody allowed it, and nothing was run. `error`: it ended with another code than 0. */
  status: CallStatus;
  /** What it printed, with notes in brackets on how it ended; or why it was not run. */
  text: string;
  /** null = it was not run, or ended by a signal. */
  exit: number | null;
  /** Every file it changed in the project. */
  files: readonly FileChange[];
}

/** What the program has done under one name, by tasks and commands, so far. */
export type WorkDone = Pick<Result, "files" | "coverage" | "permission_denials">;

export interface Work {
  done(): Promise<WorkDone>;
}

export interface OwnWork {
  /**
   * Names what the program does from here on until the next run: undo takes it back as one. `title` completes "take back …".
   * Work that goes on under the same `id` is the same work, also in another process. Between two runs only.
   */
  beginWork(title: string, id?: string): Promise<Work>;
  /**
   * Gives tasks to agents, in the order given, and returns at once. They work under the rules of this session and count against
   * its limits; their ends are in their records and events, and no message to the model. `parallel`: of these at once at most.
   * @throws UserError that says which request is wrong; then nothing was started
   */
  startTasks(requests: readonly AgentTaskRequest[], options?: { parallel?: number }): Promise<TaskRecord[]>;
  /** Resolves when all of them have settled, or the signal is aborted, with what they are then. */
  waitTasks(tasks: readonly string[], options?: { signal?: AbortSignal }): Promise<TaskRecord[]>;
  /**
   * Runs a command from the project's root: decided about, asked about, confined, witnessed and undone like one of the model's.
   * One at a time. Never rejects for the world's faults.
   */
  runCommand(command: string, options?: CommandOptions): Promise<CommandOutcome>;
  /**
   * Starts a command that goes on beside the session, judged like any other; `harness.tasks` shows what it prints and ends it.
   * @throws UserError when it may not run, or did not begin
   */
  startCommand(command: string, options?: StartOptions): Promise<TaskRecord>;
}
