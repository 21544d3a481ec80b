// What the parts of a build agree on: what a check has found, what a reviewer has judged, what is shown at the end. Types only,
// so that the engine (engine.ts), the checks (verify/), the reviewer (gate.ts) and the preview know each other by nothing else.

import type { Json, JsonObject, JsonSchema } from "../core/json.js";
import type { FileChange } from "../core/plan.js";
import type { Profile } from "../core/policy.js";
import type { BuildPlan } from "./plan.js";

/** L1 files by themselves and together · L2 it starts and answers · L3 a browser loads it · L4 the plan's commands succeed. */
export type Level = "L1" | "L2" | "L3" | "L4";

/** One thing that was looked at, and what was found. */
export interface Evidence {
  level: Level;
  ok: boolean;
  /** It could not be looked at; `what` says why. Not `ok`, and nothing to mend either. */
  unchecked?: true;
  /** What was looked at, and what is wrong with it: a sentence that an agent can mend it by. */
  what: string;
  /** From the working directory. */
  file?: string;
  line?: number;
  /** What proves it (log, screenshot): a path below the build's directory. */
  artifact?: string;
  /** Task of the plan that has to mend it; absent: nobody in particular made it. */
  task?: string;
}

/** How a command ended; `code` null: it was not allowed, did not begin or was killed, and `output` says which. */
export interface CommandEnd {
  code: number | null;
  output: string;
  /** Nobody allowed it, so it never ran; `output` says why. */
  refused?: true;
  /** What it changed, paths from the working directory. */
  files?: readonly FileChange[];
}

export interface CommandOptions {
  /** Milliseconds. */
  timeout?: number;
  /** Task of the plan that it is run for: what it changes is put down there. */
  task?: string;
  signal?: AbortSignal;
}

/** Runs a command from the working directory, through the session's permission and in its sandbox. */
export type RunCommand = (command: string, options?: CommandOptions) => Promise<CommandEnd>;

/** A command that goes on as a task of the session, and ends with it. */
export interface RunningCommand {
  /** Id of its task. */
  task: string;
  /** How it ended; null while it goes on. */
  ended(): Promise<CommandEnd | null>;
  /** The last of what it printed, so many bytes at most. */
  tail(bytes: number): Promise<string>;
  /** Is it what listens at this port? null = that cannot be told here. */
  listens(port: number): Promise<boolean | null>;
  /** Resolves when nothing of it runs any more. */
  stop(): Promise<void>;
}

/**
 * Starts one from the working directory, through the session's permission.
 * @throws UserError when it may not run, or did not begin
 */
export type StartCommand = (
  command: string,
  options: { title: string; detach?: boolean; about?: JsonObject; signal?: AbortSignal },
) => Promise<RunningCommand>;

/** Commands that run detached, started here or by an earlier Cinch in this project, with what was said about them; newest first. */
export type FindCommands = () => Promise<{ about: JsonObject; running: RunningCommand }[]>;

export interface AskedAgent {
  agent: string;
  /** It may do no more than this, whatever its definition says. */
  profile: Profile;
  title: string;
  prompt: string;
  schema: JsonSchema;
  /** Id of a task in whose conversation this is said. */
  continues?: string;
}

/** Gives an agent a task and waits for its answer: a value that fits the schema, or why there is none. */
export type AskAgent = (
  asked: AskedAgent,
  signal: AbortSignal,
) => Promise<{ task: string; value: Json } | { why: string }>;

export interface Verification {
  /** Of the project; nothing below it is taken for a program of the machine. */
  project: string;
  /** Where the build was made: the working directory, what paths and commands of the plan start from. */
  root: string;
  plan: BuildPlan;
  /** Absolute; evidence is kept below it. */
  buildDir: string;
  levels: readonly Level[];
  run: RunCommand;
  /** What the app is started through; it is left running for whoever looks at it next. */
  previews: Previews;
  signal: AbortSignal;
}

export type VerifyBuild = (verification: Verification) => Promise<Evidence[]>;

export interface Finding {
  severity: "blocker" | "major" | "minor";
  file?: string;
  line?: number;
  what: string;
}

export interface Verdict {
  verdict: "PASS" | "FAIL" | "CONDITIONAL";
  findings: readonly Finding[];
  /** Nobody has judged, or by a verdict that contradicts itself, so there is nothing to mend. */
  none?: true;
}

/** What a reviewer gets to judge by. */
export interface GateCase {
  goal: string;
  criteria: readonly string[];
  evidence: readonly Evidence[];
  /** Paths from the working directory. */
  changed: readonly string[];
  /** What those said who changed nothing: of a review it is the outcome. */
  reports: readonly { task: string; title: string; answer: string }[];
}

/** Sent back once when it contradicts itself; what is no verdict then is a FAIL that says so. */
export type JudgeBuild = (gate: GateCase, ask: AskAgent, signal: AbortSignal) => Promise<Verdict>;

/** starting: it runs and has not answered yet · unhealthy: it runs and does not answer as it should, or has ended by itself. */
export type PreviewState = "starting" | "healthy" | "unhealthy" | "stopped";

export interface PreviewStatus {
  state: PreviewState;
  /** `http://127.0.0.1:<port>/…`; null = there was none yet. */
  url: string | null;
  stack: string | null;
  /** Status of the newest answer; null = there was none. */
  status: number | null;
  /** One sentence; with the last lines it printed when it is unhealthy. */
  what: string;
}

/**
 * What is shown of a project: one at a time. It gets HOST and PORT in its environment, has to listen there and nowhere else,
 * and is ended when it listens on more than this machine's own address.
 */
export interface Previews {
  /**
   * Instead of the one before. Resolves when it is healthy, or will not become so. `start`, `path`: as in the plan.
   * @throws UserError when it may not be started, or somebody else has its port
   */
  start(app: { start?: string; path?: string; detach?: boolean }, signal: AbortSignal): Promise<PreviewStatus>;
  /** As it is now: it is asked. */
  status(): Promise<PreviewStatus>;
  /** Resolves when nothing of it runs any more. `keepDetached`: only what ends with Cinch is ended. */
  stop(how?: { keepDetached: boolean }): Promise<PreviewStatus>;
}
