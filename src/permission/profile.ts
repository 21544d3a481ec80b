// Tool profiles: sets of effects, so that no tool is ever named here (SPEC 2.9).
// Enforced twice: tools without an allowed effect are not declared, and a plan whose effect is not allowed is refused.

import type { Effect } from "../core/plan.js";

export const profiles = {
  full: ["read", "write", "exec", "net", "ask", "spawn"],
  coding: ["read", "write", "exec", "ask"],
  testing: ["read", "exec", "ask"],
  readonly: ["read", "ask"],
  minimal: [],
} as const satisfies Record<string, readonly Effect[]>;

export type Profile = keyof typeof profiles;

export function isProfile(word: string): word is Profile {
  return Object.hasOwn(profiles, word);
}

/** True when the profile allows at least one of the effects. */
export function permits(profile: Profile, effects: readonly Effect[]): boolean {
  const allowed: readonly Effect[] = profiles[profile];
  return effects.some((effect) => allowed.includes(effect));
}
