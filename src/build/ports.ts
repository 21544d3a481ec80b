// What the parts of a build agree on: what a check has found, what a reviewer has judged, what is shown at the end. Types only,
// so that the engine (engine.ts), the checks (verify/), the reviewer (gate.ts) and the preview know each other by nothing else.

import type { BuildPlan } from "./plan.js";

/** L1 files by themselves and together · L2 it starts and answers · L3 a browser loads it · L4 the plan's commands succeed. */
export type Level = "L1" | "L2" | "L3" | "L4";

/** One thing that was looked at, and what was found. */
export interface Evidence {
  level: Level;
  ok: boolean;
  /** What was looked at, and what is wrong with it: a sentence that an agent can mend it by. */
  what: string;
  /** From the project's root. */
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
}

export interface CommandOptions {
  /** Milliseconds. */
  timeout?: number;
  signal?: AbortSignal;
}

/** Runs a command from the project's root, through the session's permission and in its sandbox. */
export type RunCommand = (command: string, options?: CommandOptions) => Promise<CommandEnd>;

export interface Verification {
  root: string;
  plan: BuildPlan;
  /** Absolute; evidence is kept below it. */
  buildDir: string;
  levels: readonly Level[];
  run: RunCommand;
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
}

/** What a reviewer gets to judge by. */
export interface GateCase {
  goal: string;
  criteria: readonly string[];
  evidence: readonly Evidence[];
  /** Paths from the project's root. */
  changed: readonly string[];
}

export interface Preview {
  url: string;
  stack: string;
  health(): Promise<{ ok: boolean; status: number | null; what: string }>;
  /** Resolves when nothing of it runs any more. */
  stop(): Promise<void>;
}
