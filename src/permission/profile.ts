// What a tool profile permits. Enforced twice: tools without an allowed effect are not declared, and a plan whose
// effect is not allowed is refused.

import type { Effect } from "../core/plan.js";
import { type Profile, profileEffects } from "../core/policy.js";

/** True when the profile allows at least one of the effects. */
export function permits(profile: Profile, effects: readonly Effect[]): boolean {
  const allowed: readonly Effect[] = profileEffects[profile];
  return effects.some((effect) => allowed.includes(effect));
}
