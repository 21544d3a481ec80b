// The rules that stand and the analysis of a command, as text for a person. Pure.

import type { CommandAnalysis, CommandPart } from "../../core/command.js";
import type { ExplainedCommand, RuleListing } from "../../index.js";

type StandingRule = RuleListing["rules"][number];

export function rulesView({ mode, rules }: RuleListing): string {
  const head = `mode ${mode.value}   (${mode.source})`;
  return [head, ...(rules.length === 0 ? ["There are no rules here."] : rules.map(ruleLine))].join("\n");
}

const states: Readonly<Record<StandingRule["state"], string>> = {
  set: "",
  waiting: ", waits until you trust the project",
  kept: ", an answer that was kept",
};

function ruleLine({ list, text, source, state, since }: StandingRule): string {
  const when = since === undefined ? "" : ` on ${since.slice(0, 10)}`;
  return `${list.padEnd(8)}${text}   (${source}${states[state]}${when})`;
}

const readers: Readonly<Record<NonNullable<ExplainedCommand["where"]>, string>> = {
  sandbox: "it only reads, and runs unasked in a sandbox where it can't write",
  cinch: "it only reads, and Cinch answers it without a shell, unasked",
  shell: "it only reads, but there is no full sandbox to run it in, so it asks unless the mode is auto",
};

const meaning: Readonly<Record<CommandAnalysis["verdict"], string>> = {
  readonly: "it only reads",
  "needs-approval": "it asks, unless a rule or the mode answers",
  "never-auto": "only you can allow it, and only this very command",
};

const becomes = { allow: "it runs", ask: "it is asked about", deny: "it is denied" } as const;

export function explainedView({ verdict, reason, parts, hint, mode, decision, where }: ExplainedCommand): string {
  const lines = parts.map(
    (part) =>
      `  ${titleOf(part)}  ${part.argv.map(shownWord).join(" ")}\n      ${part.why} (${part.rule}, ${part.source})`,
  );
  return [
    `${verdict}${reason ? ` (${reason})` : ""}: ${where ? readers[where] : meaning[verdict]}.`,
    ...lines,
    `Here, in the mode ${mode}: ${becomes[decision.verdict]} (${decision.rule}, ${decision.source}).`,
    ...(hint === undefined ? [] : [`Hint: ${hint}`]),
  ].join("\n");
}

function titleOf({ verdict, reason }: CommandPart): string {
  return (reason === undefined ? verdict : `never-auto/${reason}`).padEnd(17);
}

/** As the shell would have to be given it. */
function shownWord(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
