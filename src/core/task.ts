// A task: work that goes on beside the conversation that asked for it. One noun of two kinds: another agent, or a command.
//
//   from          to                                             by
//   (none)        queued                                         a call of a tool, an SDK user
//   queued        running                                        the queue, when a place is free and what it waits for has succeeded
//                 cancelled                                      the user, the model; `dependency`: what it waits for did not succeed
//                 interrupted                                    its owner is gone
//   running       succeeded failed cancelled                     its own end
//                 interrupted                                    its owner is gone
//   interrupted   queued                                         the user, or `tasks.resume: auto`
//   succeeded failed cancelled                                   for ever
//
// Invariants: a task changes its state only along this table, and only its owner changes it while that is alive; each change
// is in its record before anybody hears of it (SPEC 2.14).

import type { CommandAnalysis } from "./command.js";
import type { Json, JsonObject, JsonSchema } from "./json.js";
import type { Usage } from "./message.js";
import type { FileChange } from "./plan.js";
import type { Profile } from "./policy.js";

export const taskKinds = ["agent", "shell"] as const;
export type TaskKind = (typeof taskKinds)[number];

export const taskStates = ["queued", "running", "succeeded", "failed", "cancelled", "interrupted"] as const;
export type TaskState = (typeof taskStates)[number];

const transitions: Readonly<Record<TaskState, readonly TaskState[]>> = {
  queued: ["running", "cancelled", "interrupted"],
  running: ["succeeded", "failed", "cancelled", "interrupted"],
  succeeded: [],
  failed: [],
  cancelled: [],
  interrupted: ["queued"],
};

export function mayBecome(from: TaskState, to: TaskState): boolean {
  return transitions[from].includes(to);
}

/** Nothing of it goes on. What was interrupted may begin again. */
export function isSettled(state: TaskState): boolean {
  return state !== "queued" && state !== "running";
}

/**
 * Why a task did not succeed. agent: it said so itself, or its run ended in an error · schema: its answer does not fit ·
 * timeout: its time is up, or it gave no sign of life · budget · crash: the process is gone · spawn: it never began ·
 * denied: nobody allowed it · dependency: what it waits for did not succeed. Closed (SPEC 2.14): a command that ended by
 * itself, with whatever code or signal, has `exit_code` and `signal` and no error.
 */
export type TaskErrorKind = "agent" | "schema" | "timeout" | "budget" | "crash" | "spawn" | "denied" | "dependency";

/** "exit code 137, SIGKILL"; null for what has no exit code. */
export function exitWords({ exit_code: code, signal }: Pick<TaskRecord, "exit_code" | "signal">): string | null {
  if (code === undefined) return null;
  return `exit code ${code}${signal === undefined ? "" : `, ${signal}`}`;
}

export interface TaskError {
  kind: TaskErrorKind;
  text: string;
}

/** What one task may use; absent = no limit of its own. */
export interface TaskLimits {
  turns?: number;
  /** US dollars. */
  cost?: number;
  /** Tokens, in and out. */
  tokens?: number;
  /** Seconds from its beginning. */
  time?: number;
}

/** The process that a task belongs to, told from every other one (lib/life.ts), and the call that asked for it. */
export interface TaskOwner {
  pid: number;
  start: string | null;
  boot: string | null;
  host: string;
  space: string | null;
  session: string;
  call: string | null;
  /** It has ended in order and left this task behind, detached: whoever comes next may watch over it. */
  left?: true;
}

/** Ids of calls that the program makes which opened the session, and no model: none is told of their ends. */
export const ownCalls = "own_";

/** What is on disk of a task. Times in milliseconds since the epoch. */
export interface TaskRecord {
  v: 1;
  /** 12 characters of Crockford base32. */
  id: string;
  kind: TaskKind;
  state: TaskState;
  owner: TaskOwner;
  /** Task whose agent asked for it; null = asked for by a session that is no task. */
  parent: string | null;
  /** 1 = asked for by a session that is no task. */
  depth: number;
  /** One line for lists. */
  title: string;
  agent?: string;
  prompt?: string;
  model?: string;
  command?: string;
  /** A command that is known to change nothing. */
  readsOnly?: true;
  /** Absolute. */
  cwd: string;
  /** Goes on when its owner ends. */
  detach: boolean;
  labels: readonly string[];
  metadata?: JsonObject;
  /** When it is ended as `timeout`; null = never. */
  deadline: number | null;
  limits: TaskLimits;
  /** Tasks that have to succeed before it begins. */
  dependsOn: readonly string[];
  outputSchema?: JsonSchema;
  /** It works in a copy of the project. */
  worktree?: true;
  /** What narrows it, as asked for. */
  bounds?: TaskBounds;
  /** It goes on in the conversation of an earlier task. */
  continues?: true;
  /** Every file its agent changed, net, also before an interruption and by commands. */
  files?: readonly FileChange[];
  created: number;
  /** Among those that its process created in the same millisecond; absent = 0. */
  place?: number;
  started: number | null;
  ended: number | null;
  /** Last sign of life of what runs it. */
  heartbeat: number | null;
  /** What runs a command: the process that watches over it, and the group it is in. */
  pid?: number;
  pgid?: number;
  /** Start time of `pid`, as the kernel gives it. */
  start?: string;
  exit_code?: number;
  signal?: string;
  /** `bytes` printed in all, of which `dropped` are not in the file any more. Absent: it prints nothing. */
  output?: { path: string; bytes: number; dropped: number };
  /** What an agent answered, or the last lines a command printed. */
  result?: string;
  /** The answer as a value, when `outputSchema` asks for one. */
  value?: Json;
  error?: TaskError;
  usage: Usage;
  /** US dollars; null = unknown. */
  cost: number | null;
  /** Session of its agent. */
  session?: string;
  /** Its end was told to whom it belongs; before that it is still owed. */
  told: boolean;
}

/** What an agent tells those who work beside it (SPEC 1.28). */
export interface Announcement {
  kind: "file_created" | "endpoint_ready" | "export_ready" | "blocked";
  text: string;
}

// --- the port of tools -----------------------------------------------------------------------------------------------

/** What one agent may do, below what its definition and the session above allow. */
export interface TaskBounds {
  /** What it goes by where several work as the same agent; a part of a script can be for it alone (SPEC 2.11). */
  name?: string;
  /** Files that no other agent of the session may change while it works: globs from the project's root. */
  owns?: readonly string[];
  profile?: Profile;
  /** Names or aliases of tools it does not get, whatever else is said. */
  deny?: readonly string[];
}

export interface AgentTaskRequest extends TaskBounds {
  kind: "agent";
  agent: string;
  prompt: string;
  model?: string;
  title?: string;
  labels?: readonly string[];
  metadata?: JsonObject;
  timeoutMs?: number;
  limits?: TaskLimits;
  /** Ids of tasks, or places in the same batch from 0. */
  dependsOn?: readonly (string | number)[];
  outputSchema?: JsonSchema;
  /** A copy of the project to work in, whose changes come back as a patch. */
  worktree?: boolean;
  /** A task that has ended, in whose conversation this one goes on; its agent, and its model unless one is named. */
  continues?: string;
}

export interface ShellTaskRequest {
  kind: "shell";
  command: string;
  /** Default: the project root. */
  cwd?: string;
  title?: string;
  labels?: readonly string[];
  metadata?: JsonObject;
  timeoutMs?: number;
  detach?: boolean;
}

export type TaskRequest = AgentTaskRequest | ShellTaskRequest;

/** A request that was checked, and would start now. Opaque to tools except for these facts. */
export interface TaskPlan {
  readonly request: TaskRequest;
  /** One line for a person. */
  readonly summary: string;
  /** Of a command. */
  readonly analysis?: CommandAnalysis;
  readonly digest: string;
}

export interface TaskFilter {
  kind?: TaskKind;
  states?: readonly TaskState[];
  label?: string;
  /** Only what this session asked for, and its agents; default true. */
  own?: boolean;
}

export interface OutputRange {
  /** Byte to begin at; negative counts from the end. Default: the end, as far as `maxBytes` goes. */
  offset?: number;
  maxBytes: number;
}

export interface TaskOutput {
  text: string;
  /** Byte the text begins at, and the one behind it: where to read on. */
  from: number;
  next: number;
  /** Printed so far. */
  bytes: number;
  dropped: number;
}

/** Work beside the conversation. Every id that is not a task's is refused, naming what there is. */
export interface Tasks {
  /** What a request would start; reads only, and throws a Refusal that says what is wrong with it. */
  plan(request: TaskRequest): Promise<TaskPlan>;
  /**
   * Puts them into the queue and returns at once, in the order given. At most `maxParallel` of these run at the same time,
   * and never more than the harness allows in all. `byHand`: a person allowed exactly this.
   */
  submit(
    plans: readonly TaskPlan[],
    options: { call: string; maxParallel?: number; byHand?: boolean },
  ): Promise<TaskRecord[]>;
  /** Newest first. */
  list(filter?: TaskFilter): TaskRecord[];
  /** One of this project, whoever asked for it. */
  find(id: string): TaskRecord;
  /** One that this session, or an agent of its, has asked for; what is another session's is refused. */
  own(id: string): TaskRecord;
  /** Resolves when all of them are settled, or the time is up, with what they are then. Aborting it cancels no task. */
  wait(ids: readonly string[], options: { timeoutMs?: number; signal: AbortSignal }): Promise<TaskRecord[]>;
  /** Resolves when they are settled; what was settled before is unchanged. Only its own. */
  cancel(ids: readonly string[]): Promise<TaskRecord[]>;
  output(id: string, range: OutputRange): TaskOutput;
  /** Resolves when there is output behind byte `from`, the task is settled, or the time is up. */
  more(id: string, from: number, options: { timeoutMs: number; signal: AbortSignal }): Promise<void>;
  announce(announcement: Announcement): void;
  /** What other agents of this conversation have announced, and the files that others hold; a paragraph each. */
  around(): string[];
}
