// The public face of a harness and its sessions, as types (SPEC 2.17). Front ends and the SDK see nothing else.

import type { Answer, Approval } from "../../agent/approvals.js";
import type { SettingsInput } from "../../config/schema.js";
import type { CommandAnalysis, CommandPart } from "../../core/command.js";
import type { Entry } from "../../core/entry.js";
import type { Event, SteerMode } from "../../core/event.js";
import type { Clock, Ids } from "../../core/ids.js";
import type { JsonSchema } from "../../core/json.js";
import type { LanguageStatus, ServerStatus } from "../../core/lsp.js";
import type { ImagePart, Usage } from "../../core/message.js";
import type { Model } from "../../core/model.js";
import type { Mode } from "../../core/policy.js";
import type { Result, Subtype } from "../../core/result.js";
import type { SteerChange } from "../../core/steer.js";
import type { AgentTaskRequest, OutputRange, TaskOutput, TaskRecord } from "../../core/task.js";
import type { ToolEntry } from "../../core/tool.js";
import type { Fs } from "../../lib/fs.js";
import type { SessionCost } from "../../session/cost.js";
import type { LoopReport } from "../../session/loop-report.js";
import type { OutlineEntry as TreeEntry } from "../../session/outline.js";
import type { TrustStatus } from "../../trust/review.js";
import type { StandingRule } from "../permissions/standing-rules.js";
import type { ImageInput, Said, UserInput } from "./said.js";
import type { Deleted, Fork, ForkOptions, SessionDetails, SessionSummary, SessionTree } from "./sessions.js";
import type { CommandOptions, CommandOutcome, OwnWork, StartOptions } from "./work.js";

export type { ImageInput, Said, UserInput } from "./said.js";
export type {
  AgentSession,
  Deleted,
  Fork,
  ForkOptions,
  SessionDetails,
  SessionSummary,
  SessionTree,
} from "./sessions.js";
export type {
  AgentTaskRequest,
  Answer,
  Approval,
  CommandOptions,
  CommandOutcome,
  LanguageStatus,
  LoopReport,
  OutputRange,
  ServerStatus,
  SessionCost,
  StandingRule,
  StartOptions,
  TaskOutput,
  TaskRecord,
  TreeEntry,
  TrustStatus,
};

export interface HarnessOptions {
  /** Where the work happens; the project root is found from here (SPEC 2.6). */
  cwd: string;
  /** Puts configuration, state and cache under one directory, as `CINCH_HOME` does. */
  home?: string;
  /** `provider/model`, or a model of your own; without it one is picked from settings, keys and local servers. */
  model?: string | Model;
  /** Settings of the level "flags": over user and project files. */
  settings?: SettingsInput;
  /** A settings file to load at the level "flags", as `--settings` does. */
  settingsFile?: string;
  /** Answers approvals. Without it and without `answerable`, what would be asked is denied. */
  ask?: (question: Approval) => Promise<Answer>;
  /** True when somebody will call `session.answer`. */
  answerable?: boolean;
  /** Trust this project for the life of this harness. */
  trust?: boolean;
  /** Further directories that file tools may use. */
  addDirs?: readonly string[];
  /** Write every model exchange to this cassette file. */
  record?: string;
  /** Pace of a cassette that is replayed: 0 (default) = at once, 1 = as recorded. */
  replaySpeed?: number;
  /** Added to the context block. */
  appendSystemPrompt?: string;
  /** The final answer must be JSON that fits this schema. */
  jsonSchema?: JsonSchema;
  /** Tools of your own, beside the built-in ones. */
  tools?: readonly ToolEntry[];
  /** Default `process.env`. Keys are read from here and from user settings only. */
  env?: Readonly<Record<string, string | undefined>>;
  fs?: Fs;
  clock?: Clock;
  ids?: Ids;
}

export interface Harness {
  open(options?: OpenOptions): Promise<Session>;
  /** Sessions as files: nothing needs a model, and what only reads works beside a running session. */
  readonly sessions: Sessions;
  /** What of this project is trusted. A decision counts for harnesses that open afterwards. */
  readonly trust: Trust;
  /** What may run unasked here, and why. */
  readonly permissions: PermissionRules;
  readonly tasks: Tasks;
  /** Who tasks can be given to, by name. Needs no model. */
  agents(): Promise<AgentSummary[]>;
  /** Formations of the project and of the user, the weaker first, as texts. Needs no model. */
  formations(): Promise<FormationFile[]>;
  /** Which language server serves what, and why not. */
  readonly languages: LanguageInfo;
  /** Ends every session and everything that was started; resolves when nothing is left running. */
  close(): Promise<void>;
}

/** Needs no model; starts nothing. */
export interface PermissionRules {
  list(): Promise<RuleListing>;
  /** What the analysis makes of a shell command that would start in `cwd`, and what the rules and the mode make of that. */
  explain(command: string): Promise<ExplainedCommand>;
  /** Takes back an answer that was kept, also for sessions that are running; throws UserError when no kept answer is this rule. */
  revoke(rule: string): Promise<void>;
}

export interface RuleListing {
  mode: { value: Mode; source: string };
  /** In the order in which the lists decide. */
  rules: readonly StandingRule[];
  /** What is wrong with settings and kept answers, a sentence each. */
  remarks: readonly string[];
}

export interface ExplainedCommand extends CommandAnalysis {
  /** With the rule of the user that decides about it, where there is one. */
  parts: readonly (CommandPart & { decision?: "allow" | "ask" | "deny" })[];
  mode: Mode;
  /** In this mode, at the beginning of a session. */
  decision: { verdict: "allow" | "ask" | "deny"; rule: string; source: string };
  remarks: readonly string[];
}

/** Of every session and process, named by id or a unique prefix. What has ended stays as it was. Needs no model. */
export interface Tasks {
  /** Newest first; of long settled ones without prompt and result. */
  list(): Promise<TaskRecord[]>;
  /** What of their records could not be read or written so far, a sentence each; a session says it as a `notice`. */
  faults(): Promise<string[]>;
  show(task: string): Promise<TaskRecord>;
  output(task: string, range: OutputRange): Promise<TaskOutput>;
  cancel(task: string): Promise<TaskRecord>;
  /** Is whatever listens at this port of 127.0.0.1 a process of this command? null = that cannot be told here. */
  listens(task: string, port: number): Promise<boolean | null>;
}

/** Needs no model; starts nothing. */
export interface Trust {
  status(): Promise<TrustStatus>;
  /** Records trust in exactly what `shown` lists; refused when that has changed. Returns what the user should know, or null. */
  approve(shown: TrustStatus): Promise<string | null>;
  /** False when nothing was on record. */
  revoke(): Promise<boolean>;
}

export interface AgentSummary {
  name: string;
  description: string;
  /** A path, or `built-in`. */
  source: string;
}

export interface FormationFile {
  level: "project" | "user";
  /** Absolute. */
  file: string;
  text: string | null;
  /** Of a text that is null. untrusted: it is the project's and not trusted as it is · unreadable: no small file, or one that lies elsewhere. */
  why?: "untrusted" | "unreadable";
}

/** Starts nothing. */
export interface LanguageInfo {
  status(): Promise<LanguageStatus>;
}

export interface OpenOptions {
  /** A session's id, a unique prefix of one, or a label; `true` = the newest session of this project. */
  resume?: string | true;
  /** Branch at this entry first: its id, a unique prefix of it, or its label. Without `resume`, of the newest session. */
  fork?: string;
}

/** What a front end shows first (SPEC 2.2, `system/init`). */
export interface Init {
  session_id: string;
  model: string;
  cwd: string;
  root: string;
  tools: readonly string[];
  permission_mode: string;
  trust: "trusted" | "untrusted" | "none";
  /** What of the project was left out: because it is not trusted, or for good (`not_loaded`). */
  ignored: readonly string[];
  /** Those of `ignored` that this version has no use for, trusted or not: paths relative to `root`. */
  not_loaded: readonly string[];
  /** What is expected of the sandbox; it is tried out with the first command, and a `notice` says if it is less. */
  sandbox: "full" | "fs-only" | "none";
  version: string;
  /** The model's context window, in tokens. */
  window: number;
  /** Why this model: a flag, a setting, a key in the environment. */
  model_source: string;
  /** What the user should know about settings and the session file, one sentence each. */
  notices: readonly string[];
}

/** What became of a compaction. Unless it is `done`, the conversation is as it was. */
export interface Compaction {
  /** `nothing`: there is too little that could be compacted. */
  state: "done" | "nothing" | "failed";
  /** How the result of a run would name it. */
  subtype: Subtype;
  /** What was done, or why nothing was. */
  text: string;
  /** Made to the model. */
  requests: number;
  usage: Usage;
  /** US dollars; null = unknown. */
  cost: number | null;
}

export interface Session extends OwnWork {
  readonly id: string;
  readonly init: Init;
  /**
   * Runs until the agent is done. Only one run at a time; never rejects for the world's faults.
   * @throws UserError before anything is written or sent, when images cannot be: for the model, their kind, size or number
   */
  send(input: string | UserInput, options?: { signal?: AbortSignal }): Promise<Result>;
  /** Reads an image and judges it as `send` would; nothing is written or sent. @throws UserError when it cannot be sent */
  image(input: ImageInput): Promise<ImagePart>;
  /**
   * `now`: in the very next request; `queue`: after the run. Returns the id that events carry; it is in the log then.
   * @throws UserError when there is neither text nor an image, and when it cannot be written
   */
  steer(input: string | Said, mode: SteerMode): string;
  /**
   * Makes the conversation shorter: a ledger and a summary stand for its older part. Not while a run is under way;
   * never rejects for the world's faults. `focus`: what is to be kept in particular.
   */
  compact(focus?: string, options?: { signal?: AbortSignal }): Promise<Compaction>;
  /** Takes back what waits to be said; null when it does not wait any more. */
  withdraw(steer: string): Said | null;
  /** Gives what waits another text, or another place; false when it does not wait any more. @throws UserError for blank text */
  revise(steer: string, change: SteerChange): boolean;
  /** What was steered in and the newest run did not deliver; its result has the texts alone. */
  readonly undelivered: readonly Said[];
  /** For calls not yet decided; the model hears of it with the next run. What the mode at opening does not declare stays undeclared. */
  setMode(mode: Mode): void;
  /** Agents that an end of Cinch interrupted go on: those of these tasks, or all. Rejects with a UserError when one named cannot. */
  resumeTasks(tasks?: readonly string[]): Promise<string[]>;
  /** Put to a front end (`approval.ask`), and not answered yet. */
  readonly questions: readonly Approval[];
  /** Answers an `approval.ask`; false when no such question is open. */
  answer(id: string, answer: Answer): boolean;
  /**
   * Nobody is there any more: from now on agents are awaited, as where nobody ever was. Resolves when the run under way has
   * ended, no agent is at work, and what the agent makes of their ends is said (`run.end`); the signal ends the waiting.
   */
  leave(options?: { signal?: AbortSignal }): Promise<void>;
  /** Ends the current run; `send` then resolves with `error_cancelled`. */
  cancel(): void;
  /** Events from now on; ends when the session closes. */
  events(): AsyncIterable<Event>;
  /** The active path, oldest first. */
  entries(): Iterable<Entry>;
  entry(id: string): Entry | undefined;
  /** What the runs of the active path did: states, counts, reminders, steering. */
  loop(): LoopReport;
  /** What it has cost so far, on all branches, and why the cache missed. Reads the whole file. */
  cost(): Promise<SessionCost>;
  /** All branches, as of now. */
  tree(): Promise<SessionTree>;
  /** Names an entry; an empty text takes its name away. Returns the entry's id. */
  label(entry: string, text: string): Promise<string>;
  /** The conversation goes on behind this entry. Between two runs only, like `rewind`. */
  fork(entry: string, options?: ForkOptions): Promise<Fork>;
  /** Goes back to before a message of the user, default the newest; `draft` and `images` of the answer are what it said. */
  rewind(entry?: string, options?: ForkOptions): Promise<Fork>;
  close(): Promise<void>;
}

/** Sessions are named by id, by a unique prefix of one, or by label; default the newest of this project. */
export interface Sessions {
  /** Newest first; of this project, or of all. */
  list(options?: { all?: boolean }): Promise<SessionSummary[]>;
  /** All that is known of one without its texts. Reads the whole file. */
  show(session?: string): Promise<SessionDetails>;
  tree(session?: string): Promise<SessionTree>;
  /** Names an entry; an empty text takes its name away. Returns the entry's id. */
  label(entry: string, text: string, session?: string): Promise<string>;
  /** With `name` the path to the entry is copied to a new session of that name, which is not opened. */
  fork(entry: string, options?: ForkOptions & { name?: string; session?: string }): Promise<Fork>;
  /** Refused while the session is in use. */
  delete(session: string): Promise<Deleted>;
}
