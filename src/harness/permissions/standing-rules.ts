// The rules that stand for a project, wherever they were written: settings of all levels, and answers that were kept.
// Reads only, except for `revokeRule`.

import type { RuleList, WrittenRule } from "../../core/policy.js";
import type { Fs } from "../../lib/fs.js";
import { loadJudge } from "../lazy.js";

export interface RulesPlace {
  root: string;
  state: string;
  disk: Fs;
  /** What the settings say. */
  rules: readonly WrittenRule[];
  /** Allow rules of the project. */
  offered: readonly WrittenRule[];
  /** Hears why kept answers do not count. */
  tell(text: string): void;
}

export interface StandingRule {
  list: RuleList;
  text: string;
  source: string;
  /** `waiting`: it counts once the project is trusted. `kept`: an answer; it can be revoked. */
  state: "set" | "waiting" | "kept";
  /** When it was kept, ISO. */
  since?: string;
}

/** In the order in which the lists decide. */
const order: readonly RuleList[] = ["deny", "protect", "ask", "allow"];

export async function standingRules(place: RulesPlace): Promise<StandingRule[]> {
  const grants = await grantsAt(place);
  const all: StandingRule[] = [
    ...place.rules.map((rule): StandingRule => ({ ...rule, state: "set" })),
    ...place.offered.map((rule): StandingRule => ({ ...rule, state: "waiting" })),
    ...grants.list().map(({ rule, since }): StandingRule => {
      return { list: "allow", text: rule, source: grants.file, state: "kept", since };
    }),
  ];
  return order.flatMap((list) => all.filter((rule) => rule.list === list));
}

/** False when no kept answer is this rule. */
export async function revokeRule(place: RulesPlace, text: string): Promise<boolean> {
  return (await grantsAt(place)).revoke(text);
}

async function grantsAt(place: RulesPlace) {
  const { grantsOf } = await loadJudge();
  return grantsOf({ ...place, now: Date.now });
}
