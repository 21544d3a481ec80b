// The one place where a call is allowed, asked about or denied. Pure: no clock, no disk, no conversation text.
//
//   mode         read, ask   write   exec, net, spawn
//   ask          allow       ask     ask
//   acceptEdits  allow       allow   ask
//   auto         allow       allow   allow
//
// Not here yet: rules, protected paths, command analysis. They tighten this table and never loosen it.

import type { Effect } from "../core/plan.js";
import type { Mode, Profile } from "../core/policy.js";
import { permits } from "./profile.js";

export interface Policy {
  mode: Mode;
  profile: Profile;
}

export interface Decision {
  verdict: "allow" | "ask" | "deny";
  /** What decided: `mode:auto`, `profile:readonly`. */
  rule: string;
}

export function decide(effect: Effect, policy: Policy): Decision {
  if (!permits(policy.profile, [effect])) return { verdict: "deny", rule: `profile:${policy.profile}` };
  const rule = `mode:${policy.mode}`;
  if (effect === "read" || effect === "ask") return { verdict: "allow", rule: "effect:read" };
  if (policy.mode === "auto") return { verdict: "allow", rule };
  if (policy.mode === "acceptEdits" && effect === "write") return { verdict: "allow", rule };
  return { verdict: "ask", rule };
}
