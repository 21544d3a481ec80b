// One session that is open, as the public face shows it: what it says first, what may be done with it. Types only.

import type { Answer, Approval } from "../../agent/approvals.js";
import type { Entry } from "../../core/entry.js";
import type { Event, SteerMode } from "../../core/event.js";
import type { ImagePart, Usage } from "../../core/message.js";
import type { Mode } from "../../core/policy.js";
import type { Result, Subtype } from "../../core/result.js";
import type { SteerChange } from "../../core/steer.js";
import type { SessionCost } from "../../session/cost.js";
import type { LoopReport } from "../../session/loop-report.js";
import type { ImageInput, Said, UserInput } from "./said.js";
import type { Fork, ForkOptions, SessionTree } from "./sessions.js";
import type { OwnWork } from "./work.js";

export interface OpenOptions {
  /** A session's id, a unique prefix of one, or a label; `true` = the one of this project that was last worked in. */
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

/** The entry that an `entry.append` tells of, and the call that gave its agent the task; null = nobody gave one. */
export interface Appended {
  entry: Entry;
  call: string | null;
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
  /** Answers an `approval.ask`; false when no such question is open, or that is no answer. */
  answer(id: string, answer: Answer | Answer["decision"]): boolean;
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
  /** What an `entry.append` of `events()` tells of, also when an agent's conversation has it. */
  appended(event: Event): Appended | undefined;
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
