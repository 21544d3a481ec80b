// What a tool profile permits. Enforced twice: tools without an allowed effect are not declared, and a plan whose
// effect is not allowed is refused.

import type { Effect } from "../core/plan.js";
import { type Mode, type Profile, profileEffects, type ToolScope } from "../core/policy.js";
import type { ToolDescriptor } from "../core/tool.js";

/** True when at least one of the effects is held. */
export function permits(held: readonly Effect[], effects: readonly Effect[]): boolean {
  return effects.some((effect) => held.includes(effect));
}

/** What keeps these effects from being allowed: in words, and as a rule. */
export function lackOf(mode: Mode, profile: Profile, effects: readonly Effect[]): [what: string, rule: string] {
  const isMode = permits(profileEffects[profile], effects);
  return isMode ? [`the mode ${mode}`, `mode:${mode}`] : [`the tool profile ${profile}`, `profile:${profile}`];
}

/** Doors only lead to other tools, and what is announced does nothing. */
const harmless: readonly ToolDescriptor["verb"][] = ["door", "announce"];

/** True when every scope has the tool: an agent has no tool that the one it works for has not. */
export function inScope({ name, alias, verb }: ToolDescriptor, scopes: readonly ToolScope[]): boolean {
  const named = (names: readonly string[]) => names.includes(name) || (alias !== null && names.includes(alias));
  return scopes.every(({ only, never }) => {
    return !named(never) && (only === null || harmless.includes(verb) || named(only));
  });
}
