// The words of permission: modes, tool profiles and rules as written, shared by settings, decisions and front ends.
// A profile is a set of effects, widest first, so that no tool is ever named (SPEC 2.9).

import type { Effect } from "./plan.js";

export const modes = ["ask", "acceptEdits", "auto", "plan"] as const;

export type Mode = (typeof modes)[number];

export const profileEffects = {
  full: ["read", "write", "exec", "net", "ask", "spawn"],
  coding: ["read", "write", "exec", "ask"],
  testing: ["read", "exec", "ask"],
  readonly: ["read", "ask"],
  minimal: [],
} as const satisfies Record<string, readonly Effect[]>;

export type Profile = keyof typeof profileEffects;

/** Widest first. */
export const profiles = Object.keys(profileEffects) as Profile[];

/** The one that allows less: each holds what the next one does. */
export function narrower(a: Profile, b: Profile): Profile {
  return profiles.indexOf(a) > profiles.indexOf(b) ? a : b;
}

/** Which tools of a profile an agent has, by name or alias. */
export interface ToolScope {
  /** null = all of them. */
  only: readonly string[] | null;
  /** Wins over `only`. */
  never: readonly string[];
}

/** Planning changes nothing and runs nothing (SPEC 1.11); agents it starts are held to the same (SPEC 3.1). */
const planning: readonly Effect[] = ["read", "ask", "spawn"];

/** What a profile holds in a mode. */
export function effectsIn(mode: Mode, profile: Profile): readonly Effect[] {
  const held: readonly Effect[] = profileEffects[profile];
  return mode === "plan" ? held.filter((effect) => planning.includes(effect)) : held;
}

/** What follows from a rule; `protect` holds paths that are asked about in every mode. */
export const ruleLists = ["allow", "ask", "deny", "protect"] as const;

export type RuleList = (typeof ruleLists)[number];

/** A rule as somebody wrote it. */
export interface WrittenRule {
  list: RuleList;
  text: string;
  /** `file:line`, `flags`, or where else it is kept. */
  source: string;
}

/** Why a text is no rule of this list, in one sentence; null when it is one. */
export type RuleCheck = (list: RuleList, text: string) => string | null;

/** What stands around commands nobody approved: files, processes and what was asked of the network; files alone; nothing. */
export type SandboxState = "full" | "fs-only" | "none";

/** What of the sandbox works on this machine, as it was tried out. */
export interface SandboxReport {
  state: SandboxState;
  /** What is missing, in half a sentence; "" when nothing is. */
  why: string;
  /** What was tried from inside that must fail, and whether it did. Empty where nothing could be run. */
  probe: readonly { what: string; held: boolean }[];
}
