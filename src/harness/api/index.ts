// The public face of a harness and its sessions, as types (SPEC 2.17). Front ends and the SDK see nothing else.

import type { Answer, Approval } from "../../agent/approvals.js";
import type { SettingsInput } from "../../config/schema.js";
import type { CommandAnalysis, CommandPart } from "../../core/command.js";
import type { Clock, Ids } from "../../core/ids.js";
import type { JsonSchema } from "../../core/json.js";
import type { LanguageStatus, ServerStatus } from "../../core/lsp.js";
import type { Model } from "../../core/model.js";
import type { Mode, SandboxReport } from "../../core/policy.js";
import type { AgentTaskRequest, OutputRange, TaskOutput, TaskRecord } from "../../core/task.js";
import type { ToolEntry } from "../../core/tool.js";
import type { Fs } from "../../lib/fs.js";
import type { SessionCost } from "../../session/cost.js";
import type { LoopReport } from "../../session/loop-report.js";
import type { OutlineEntry as TreeEntry } from "../../session/outline.js";
import type { TrustStatus } from "../../trust/review.js";
import type { StandingRule } from "../permissions/standing-rules.js";
import type { OpenOptions, Session } from "./session.js";
import type { Sessions } from "./sessions.js";
import type { CommandOptions, CommandOutcome, StartOptions, Work, WorkDone } from "./work.js";

export type { ImageInput, Said, UserInput } from "./said.js";
export type { Appended, Compaction, Init, OpenOptions, Session } from "./session.js";
export type {
  AgentSession,
  Deleted,
  Fork,
  ForkOptions,
  SessionDetails,
  SessionSummary,
  Sessions,
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
  Work,
  WorkDone,
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
  /** Where `jsonSchema` was read. One below `.cinch` of a project that is not trusted is refused, as such settings are. */
  jsonSchemaFile?: string;
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
  /**
   * Opens the model that an agent would get by this name (`provider/model`, `fast`, `smart`), without sending a request.
   * @throws UserError when there is no such model (exit 2) or no key for it (exit 3)
   */
  checkModel(named: string): Promise<void>;
  /** Formations of the project and of the user, the weaker first, as texts. Needs no model. */
  formations(): Promise<FormationFile[]>;
  /** Which language server serves what, and why not. */
  readonly languages: LanguageInfo;
  /** Tries the sandbox out, and says what of it works here. Needs no model. */
  sandbox(): Promise<SandboxReport>;
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

/**
 * Where a command runs that only reads: in a full sandbox; nowhere, because Cinch answers it itself; or in a shell with nothing
 * around it, after a yes.
 */
export type ReadingPlace = "sandbox" | "cinch" | "shell";

export interface ExplainedCommand extends CommandAnalysis {
  /** Only of one that only reads. */
  where?: ReadingPlace;
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
  /** `provider/model`, `fast`, `smart`, or `inherit`. */
  model: string;
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
