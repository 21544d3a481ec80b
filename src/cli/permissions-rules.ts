// `cinch permissions list | revoke <rule> | try '<rule>'`: the rules that stand here and where each is from, taking back an
// answer that was kept, and what a rule would have done in past sessions.

import { UserError } from "../core/errors.js";
import { loadRuleCheck } from "../harness/permissions.js";
import { type Fate, type Trial, tryRule } from "../harness/rule-trial.js";
import { type RulesPlace, revokeRule, type StandingRule, standingRules } from "../harness/standing-rules.js";
import { createHarness } from "../index.js";
import { nodeFs } from "../lib/fs.js";
import { safeJson, safeText } from "../lib/safe-text.js";
import { systemClock, systemIds } from "../lib/system.js";
import type { Values } from "./args.js";
import { currentPlace, currentSettings } from "./current.js";
import { workingDirectory } from "./setup.js";
import { writeErr, writeOut } from "./stdio.js";

export async function listRules(values: Values): Promise<number> {
  const { place, mode } = await rulesPlace(values);
  const rules = await standingRules(place);
  if (values.has("json")) writeOut(safeJson({ mode, rules }));
  else writeOut(safeText(`${[`mode ${mode.value}   (${mode.source})`, ...table(rules)].join("\n")}\n`));
  return 0;
}

export async function revoke(values: Values, [text]: readonly string[]): Promise<number> {
  const { place } = await rulesPlace(values);
  const rules = await standingRules(place);
  if (text === undefined) throw new UserError("cinch permissions revoke needs a rule.", kept(rules));
  if (!(await revokeRule(place, text))) {
    const written = rules.find((rule) => rule.text === text);
    const fix = written ? `It is written in ${written.source}; take it out there.` : kept(rules);
    throw new UserError(`No answer that was kept is ${JSON.stringify(text)}. Nothing was changed.`, fix, 1);
  }
  writeOut(values.has("json") ? safeJson({ revoked: text }, 0) : safeText(`${`Revoked: ${text}`}\n`));
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

/** The rules that stand here, with the settings they are from. */
export async function rulesPlace(values: Values) {
  const { rules, offered, root, cwd, dirs, settings, sources, problems } = await currentSettings(values, loadRuleCheck);
  // Only what the user has approved counts without a flag.
  const { trusted, resources } = await createHarness({ cwd: workingDirectory(values) }).trust.status();
  const counts = ({ text }: { text: string }) =>
    trusted &&
    resources.some(({ kind, name, state }) => kind === "allow rule" && name === text && state === "approved");
  for (const problem of problems) writeErr(safeText(`${problem.text}\n`));
  const place: RulesPlace = {
    root,
    state: dirs.state,
    disk: nodeFs,
    rules: [...rules, ...offered.filter(counts)],
    offered: offered.filter((rule) => !counts(rule)),
    tell: (text: string) => writeErr(safeText(`${text}\n`)),
  };
  const mode = { value: settings.permissions.mode, source: sources["permissions.mode"] ?? "default" };
  return { place, mode, settings, cwd, config: dirs.config };
}

const states: Readonly<Record<StandingRule["state"], string>> = {
  set: "",
  waiting: ", waits until you trust the project",
  kept: ", an answer that was kept",
};

function table(rules: readonly StandingRule[]): string[] {
  if (rules.length === 0) return ["There are no rules here."];
  return rules.map(({ list, text, source, state, since }) => {
    const when = since === undefined ? "" : ` on ${since.slice(0, 10)}`;
    return `${list.padEnd(8)}${text}   (${source}${states[state]}${when})`;
  });
}

function kept(rules: readonly StandingRule[]): string {
  const texts = rules.filter(({ state }) => state === "kept").map(({ text }) => text);
  return texts.length === 0 ? "There are none in this project." : `There are: ${texts.join(", ")}.`;
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
