// What an agent may do that another one started: what both of their policies let through. Pure.
// Invariant: for every act the decision is the stricter of the two, no looser and no stricter (intersect.test.ts). So the
// policies are kept side by side, and `decide` asks both: no single list of rules says "both of them", least of all where one
// is let through by a rule and the other by its mode. Nothing is merged, neither modes nor profiles.

import type { Policy } from "./decide.js";

export function intersect(parent: Policy, child: Policy): Policy {
  return { ...child, within: child.within ? intersect(parent, child.within) : parent };
}
