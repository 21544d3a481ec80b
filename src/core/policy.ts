// The words of permission: modes and tool profiles, shared by settings, decisions and front ends.
// A profile is a set of effects, widest first, so that no tool is ever named (SPEC 2.9).

import type { Effect } from "./plan.js";

export const modes = ["ask", "acceptEdits", "auto"] as const;

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
