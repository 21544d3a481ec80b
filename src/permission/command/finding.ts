// What is found of one part of a command, and how findings are put together: the strictest wins.

import type { CommandPart, CommandVerdict, NeverReason } from "../../core/command.js";

export interface Finding {
  verdict: CommandVerdict;
  reason?: NeverReason;
  rule: string;
  why: string;
}

export const readonly = (rule: string, why: string): Finding => ({ verdict: "readonly", rule, why });
export const asks = (rule: string, why: string): Finding => ({ verdict: "needs-approval", rule, why });
export const opaque = (rule: string, why: string): Finding => ({ verdict: "never-auto", reason: "opaque", rule, why });
export const danger = (rule: string, why: string): Finding => ({ verdict: "never-auto", reason: "danger", rule, why });

type Ranked = Pick<Finding, "verdict" | "reason" | "rule">;

function rank({ verdict, reason, rule }: Ranked): number {
  if (verdict === "readonly") return 0;
  if (verdict === "needs-approval") return 1;
  if (reason !== "danger") return 2;
  // A sandbox answers this one, so it must not stand before another.
  return rule === "path:temporary" ? 3 : 4;
}

/** The strictest; among equals the first. */
export function strictest<Found extends Ranked>(findings: readonly Found[]): Found | undefined {
  let found: Found | undefined;
  for (const each of findings) if (!found || rank(each) > rank(found)) found = each;
  return found;
}

export function part(argv: readonly string[], exact: boolean, found: Finding): CommandPart {
  const { verdict, reason, rule, why } = found;
  const known = { argv, exact, verdict, rule, source: "built-in", why };
  return reason === undefined ? known : { ...known, reason };
}
