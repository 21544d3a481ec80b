// What a model is told of the files that other agents have. Pure.
// Invariant: never longer than the budget; what does not fit is counted, and as much as fits is said.

import { listWithin } from "../../lib/truncate.js";

export interface NamedClaim {
  shown: string;
  owner: string;
}

const lead = "Other agents are changing these files; leave them alone, a change would be refused:";

/** A path longer than this is shown by its end. */
const maxShown = 120;

/** At most `budget` characters, in the order given; empty when there are none. */
export function claimsText(claims: readonly NamedClaim[], budget: number): string {
  const items = claims.map(
    ({ shown, owner }) => `${shown.length > maxShown ? `…${shown.slice(-maxShown)}` : shown}: ${owner}`,
  );
  return listWithin(lead, items, budget);
}
