// The public face of a harness and its sessions, as types (SPEC 2.17). Front ends and the SDK see nothing else.

import type { Answer, Approval } from "../agent/approvals.js";
import type { SettingsInput } from "../config/schema.js";
import type { Entry } from "../core/entry.js";
import type { Event, SteerMode } from "../core/event.js";
import type { Clock, Ids } from "../core/ids.js";
import type { JsonSchema } from "../core/json.js";
import type { Model } from "../core/model.js";
import type { Result } from "../core/result.js";
import type { ToolEntry } from "../core/tool.js";
import type { Fs } from "../lib/fs.js";

export type { Answer, Approval };

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
  /** Ends every session and everything that was started; resolves when nothing is left running. */
  close(): Promise<void>;
}

export interface OpenOptions {
  /** A session's id, a unique prefix of one, or a label; `true` = the newest session of this project. */
  resume?: string | true;
  /** Branch at this entry first. */
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
  /** Project files left out because the project is not trusted. */
  ignored: readonly string[];
  sandbox: "full" | "fs-only" | "none";
  version: string;
  /** Why this model: a flag, a setting, a key in the environment. */
  model_source: string;
  /** What the user should know about settings and the session file, one sentence each. */
  notices: readonly string[];
}

export interface Session {
  readonly id: string;
  readonly init: Init;
  /** Runs until the agent is done. Only one run at a time; never rejects for the world's faults. */
  send(text: string, options?: { signal?: AbortSignal }): Promise<Result>;
  /** `now`: in the very next request; `queue`: after the run. Returns the id that events carry. */
  steer(text: string, mode: SteerMode): string;
  /** Answers an `approval.ask`; false when no such question is open. */
  answer(id: string, answer: Answer): boolean;
  /** Ends the current run; `send` then resolves with `error_cancelled`. */
  cancel(): void;
  /** Events from now on; ends when the session closes. */
  events(): AsyncIterable<Event>;
  /** The active path, oldest first. */
  entries(): Iterable<Entry>;
  entry(id: string): Entry | undefined;
  close(): Promise<void>;
}
