// `cinch permissions list | revoke <rule> | try '<rule>'`: the rules that stand here and where each is from, taking back an
// answer that was kept, and what a rule would have done in past sessions.

import { UserError } from "../core/errors.js";
import { type Fate, type Trial, tryRule } from "../harness/permissions/rule-trial.js";
import { nodeFs } from "../lib/fs.js";
import { safeJson, safeText } from "../lib/safe-text.js";
import { systemClock, systemIds } from "../lib/system.js";
import type { Values } from "./args.js";
import { currentHarness, currentPlace } from "./current.js";
import { writeErr, writeOut } from "./stdio.js";
import { rulesView } from "./views/permissions.js";

export async function listRules(values: Values): Promise<number> {
  const listing = await currentHarness(values).permissions.list();
  for (const text of listing.remarks) writeErr(safeText(`${text}\n`));
  const { mode, rules } = listing;
  writeOut(values.has("json") ? safeJson({ mode, rules: [...rules] }) : safeText(`${rulesView(listing)}\n`));
  return 0;
}

export async function revoke(values: Values, [text]: readonly string[]): Promise<number> {
  if (text === undefined) {
    throw new UserError(
      "cinch permissions revoke needs a rule.",
      "`cinch permissions list` shows those that were kept.",
    );
  }
  await currentHarness(values).permissions.revoke(text);
  writeOut(values.has("json") ? safeJson({ revoked: text }, 0) : safeText(`Revoked: ${text}\n`));
  return 0;
}

export async function tryOut(values: Values, [text]: readonly string[]): Promise<number> {
  if (text === undefined) {
    throw new UserError(
      "cinch permissions try needs a rule.",
      "Write it as one word: cinch permissions try 'Bash(npm test)'",
    );
  }
  const trial = await tryRule({ ...currentPlace(values), disk: nodeFs, clock: systemClock, ids: systemIds }, text);
  writeOut(values.has("json") ? safeJson({ rule: text, ...trial }) : safeText(`${told(trial)}\n`));
  return 0;
}

const fates: Readonly<Record<Fate, string>> = {
  denied: "you said no",
  unanswered: "nobody answered",
  unasked: "ran without a question",
  approved: "you said yes",
};

function told({ sessions, saved, calls }: Trial): string {
  const shown = calls
    .slice(0, 20)
    .map(({ tool, what, fate, count }) => `  ${fates[fate]}, ${count}x  ${tool}: ${what}`);
  const more = calls.length > 20 ? [`  … and ${calls.length - 20} more`] : [];
  const head = `In ${sessions} session${sessions === 1 ? "" : "s"} it would have answered ${saved} question${saved === 1 ? "" : "s"}.`;
  return calls.length === 0
    ? `${head} It fits no past call.`
    : [`${head} What it lets through, riskiest first:`, ...shown, ...more].join("\n");
}
