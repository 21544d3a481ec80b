// What the agent needs from its harness. Everything with an effect comes in here, so that the loop, dispatch and
// the controller can be read, and failed on purpose, without a disk or a network.

import type { Entry, EntryData, EntryType, RequestMark } from "../core/entry.js";
import type { CompactionCause, Emit } from "../core/event.js";
import type { HookEvent } from "../core/hook.js";
import type { Clock, Ids } from "../core/ids.js";
import type { JsonObject } from "../core/json.js";
import type { Message } from "../core/message.js";
import type { Model, ModelFailure, ModelRequest } from "../core/model.js";
import type { FileChange, Plan } from "../core/plan.js";
import type { Redactor } from "../core/redactor.js";
import type { CacheBreak } from "../core/result.js";
import type { CallContext, Tool, ToolContext, ToolDescriptor } from "../core/tool.js";
import type { Decision } from "../permission/decide.js";
import type { Answer, Approval, Approvals } from "./approvals.js";
import type { Beside } from "./beside.js";
import type { Limits } from "./budget.js";
import type { Ready, Settled } from "./call.js";
import type { HookVerdict } from "./hooked.js";
import type { CallIdentity } from "./identity.js";
import type { Inbox } from "./inbox.js";
import type { LoopEnd } from "./loop.js";
import type { LoopRules } from "./recovery.js";
import type { Run } from "./run.js";

/** The session log as the agent sees it (session/log.ts). */
export interface Log {
  append<Type extends EntryType>(type: Type, data: EntryData[Type], parent?: string | null): Entry<Type>;
  /** Several entries in one write(2). */
  appendAll(entries: readonly NewEntry[]): Entry[];
  sync(): Promise<void>;
  path(): readonly Entry[];
}

export type NewEntry = {
  [Type in EntryType]: { type: Type; data: EntryData[Type]; parent?: string | null };
}[EntryType];

/** The tools of the session under its profile. */
export interface Toolbox {
  /** Allowed by the profile, declared or deferred. */
  readonly descriptors: readonly ToolDescriptor[];
  /** Those that the model can reach: what a refusal may name. */
  readonly advised: readonly ToolDescriptor[];
  find(name: string): ToolDescriptor | undefined;
  load(name: string): Promise<Tool>;
  /** Exactly the ports the tool needs, and the call's own. */
  context(tool: ToolDescriptor, call: CallContext): Promise<ToolContext<never>>;
}

/** Looks at the project before and after whatever may change it in ways no plan lists (SPEC 1.8). */
export interface Witness {
  /** Calls that change things are being written: what is there is kept meanwhile, in the background. */
  begin(): void;
  /** Resolves when everything the call may destroy is kept; rejects with Cancelled when the signal aborts first. */
  before(call: string, signal?: AbortSignal): Promise<void>;
  /** For a question about a command that names these paths: what could not be taken back ("" = all of it could). */
  atRisk(paths: readonly string[], signal?: AbortSignal): Promise<string>;
  /** What changed since, and what the model reads of it ("" = nothing). */
  after(call: string): Promise<{ files: FileChange[]; text: string; coverage: "full" | "partial" }>;
}

/** What this run leaves in disorder, known to the harness (SPEC 1.28). */
export interface Unfinished {
  /** A run begins. */
  begin(): void;
  /** The files that do not parse and did before this run, in one line; null when all is well. */
  list(): Promise<string | null>;
}

/** Looks at what the calls of a turn changed, and says once what is wrong with it now. */
export interface TurnObserver {
  /** A call, or a hook, has left this. */
  changed(change: FileChange): void;
  /** The turn's calls have ended; what the model is to read beside their results, or null. */
  settle(signal: AbortSignal): Promise<string | null>;
  /** What was found out since then, or null. */
  late(): string | null;
}

/** Deletions that wait for the write that may follow them (SPEC 1.10). */
export interface HeldDeletions {
  /** Does what still waits. */
  carryOut(): Promise<void>;
  /** What was done since it was asked last, and what could not be done, for the model ("" = nothing). */
  take(): { files: FileChange[]; text: string };
}

/** Work beside the conversation (core/task.ts), as its runs meet it. */
export interface Companions {
  /** A run begins. */
  start(): void;
  /** Puts into the conversation what has ended since and was not told yet; false = nothing has. */
  deliver(): boolean;
  /** The model has answered. True when it is to hear of a task first; waits for agents when nobody is there for it later. */
  goOn(signal: AbortSignal): Promise<boolean>;
  /**
   * The run is over: ends what may not go on without it, and tells what has ended. Returns the newest call that started a command in
   * this run which may have changed files; null = there was none.
   */
  finish(): Promise<string | null>;
  /** For the result: what was at work in this run. */
  listed(): JsonObject[];
}

export interface CompactWish {
  cause: CompactionCause;
  /** What is to be kept in particular. */
  focus?: string | undefined;
}

/** What became of it. Unless it is done, the conversation is as it was. */
export type Compacted =
  | { type: "done"; text: string }
  /** There is too little that could be compacted. */
  | { type: "nothing"; text: string }
  | { type: "failed"; end: LoopEnd };

/** Keeps the conversation within the model's window. */
export interface Compactor {
  /** Asked before every request: is the window nearly full? */
  due(): boolean;
  compact(run: Run, wish: CompactWish): Promise<Compacted>;
}

/** What was decided about a plan, and what would change that. */
export interface Judgement extends Decision {
  /** The rule that a remembered yes would make; null = none is narrow enough. */
  offer: string | null;
  /** For a run without anybody to ask: the flags that answer such a question, in one clause. */
  flag: string;
}

/** Who decides about plans, and what of the user's answers is kept. */
export interface Permissions {
  /** What forbids every plan of this tool, or null. */
  forbids(tool: ToolDescriptor): string | null;
  judge(plan: Plan, tool: ToolDescriptor): Promise<Judgement>;
  /** Allows this from now on in the project; resolves to why it cannot be kept, or null. */
  remember(rule: string): Promise<string | null>;
}

/** The hooks of a session, as its calls meet them. Files that a hook changed are on record when it returns. */
export interface Hooks {
  /** Is there one for this event and this tool? */
  listens(event: HookEvent, tool: ToolDescriptor): boolean;
  /** `input`: a rewrite, in the hooks' fields. `changed`: the project is not what the plan was made for. */
  before(run: Run, ready: Ready): Promise<HookVerdict & { input?: JsonObject; rewriter?: string; changed: boolean }>;
  after(run: Run, ready: Ready, settled: Settled): Promise<{ text: string; files: FileChange[] }>;
  /** A question is about to be put. A verdict answers it as far as hooks may. */
  asked(run: Run, ready: Ready, question: string): Promise<HookVerdict | null>;
  /** The question is put to somebody. */
  notify(run: Run, text: string): Promise<void>;
  /** What hooks have said for the model since it was last asked. */
  takeContext(): string[];
  /** Why a hook wants the run to end; null = none does. */
  readonly halt: string | null;
}

/** Other models, for when the one that is asked stays unavailable. */
export interface Fallback {
  /** Null: another one goes on with this run, as `model`. Otherwise what the run ends with. */
  takeOver(failure: ModelFailure): Promise<ModelFailure | null>;
  /** The next run asks the first one again. */
  restart(): void;
}

export interface AgentPorts {
  /** Whose run it is: the id of its task, or `main`. */
  agent: string;
  /** The one that is asked now. */
  model: Model;
  fallback?: Fallback;
  log: Log;
  tools: Toolbox;
  emit: Emit;
  clock: Clock;
  ids: Ids;
  inbox: Inbox;
  identity: CallIdentity;
  approvals: Approvals;
  limits: Limits;
  /** Other agents that work for this one; absent = none can. */
  beside?: Beside;
  loop: LoopRules;
  /** The next request and what to log of it; emits `cache.break` when the prefix changed. */
  compose(): { request: ModelRequest; mark: RequestMark; broken: CacheBreak | null };
  /**
   * The conversation so far, or up to the entry `until`, with `tail` behind it: a request that is no part of the
   * conversation.
   */
  composeBeside(tail: readonly Message[], until?: string): ModelRequest;
  compaction?: Compactor;
  /** What asks for the text of a call apart; loaded with the first one. */
  textsApart(): Promise<typeof import("./apart.js")>;
  /** The word of a code fence around the text of such a file; null = none can be put around it. Absent: no answer is begun. */
  fenceOf?(path: string): Promise<string | null>;
  permissions: Permissions;
  redactor: Redactor;
  /** Somebody to ask; undefined = nobody, and then what would be asked is denied. */
  ask?: (question: Approval) => Promise<Answer>;
  /** True when an answer can come through `approvals`. */
  answerable: boolean;
  witness?: Witness;
  held?: HeldDeletions;
  /** The hash of what is at this path now, null = nothing; undefined when that cannot be told. */
  hashOf?(path: string): Promise<string | null | undefined>;
  companions?: Companions;
  /** What other agents have announced since this one was last told ("" = nothing); it counts as told now. */
  announced?(): string;
  /** Puts the whole text aside when it is too long for a result; returns what the model reads. */
  cut(call: string, text: string): string;
  /** Puts a text aside as a file that the model can read; returns its path, or null when the disk does not take it. */
  keep(call: string, text: string): string | null;
  /** Random number in [0, 1), for the jitter of retries. */
  random(): number;
  hooks?: Hooks;
  /** Asked after each settled turn; a prompt means "go on" (Stop hooks). */
  stopHook?: (run: Run) => Promise<{ prompt: string } | null>;
  /** Asked when the model has finished: what it left broken is listed to it once per run. */
  unfinished?: Unfinished;
  observer?: TurnObserver;
}
