// What a model is told of the files that other agents have. Pure.
// Invariant: never longer than the budget; what does not fit is counted, and as much as fits is said.

export interface NamedClaim {
  shown: string;
  owner: string;
}

const lead = "Other agents are changing these files; leave them alone, a change would be refused:";

/** A path longer than this is shown by its end. */
const maxShown = 120;

/** At most `budget` characters, in the order given; empty when there are none. */
export function claimsText(claims: readonly NamedClaim[], budget: number): string {
  if (claims.length === 0) return "";
  const lines = [lead];
  let room = budget - lead.length - `\n- ${claims.length} more`.length;
  for (const { shown, owner } of claims) {
    const line = `- ${shown.length > maxShown ? `…${shown.slice(-maxShown)}` : shown}: ${owner}`;
    room -= line.length + 1;
    if (room < 0) break;
    lines.push(line);
  }
  const left = claims.length - (lines.length - 1);
  if (left > 0) lines.push(`- ${left} more`);
  return lines.join("\n").slice(0, budget);
}
