// `cinch permissions explain "<command>"`: what the analysis makes of a shell command that would start in this directory, and
// what the rules and the mode here make of that.

import type { CommandAnalysis, CommandPart } from "../core/command.js";
import { UserError } from "../core/errors.js";
import type { Json } from "../core/json.js";
import type { Mode } from "../core/policy.js";
import { type Explained, explain } from "../harness/explaining.js";
import { safeJson, safeText } from "../lib/safe-text.js";
import type { Values } from "./args.js";
import { rulesPlace } from "./permissions-rules.js";
import { writeOut } from "./stdio.js";

export async function explainCommand(values: Values, [command]: readonly string[]): Promise<number> {
  if (command === undefined || command.trim() === "") {
    throw new UserError(
      "cinch permissions explain needs a command.",
      'Write it as one word: cinch permissions explain "git status"',
    );
  }
  const { place, settings, cwd, config } = await rulesPlace(values);
  const { permissions, tools, sandbox } = settings;
  const at = { ...place, cwd, config, mode: permissions.mode, profile: tools.profile, sandbox: sandbox.mode };
  const explained = await explain(at, command);
  writeOut(values.has("json") ? safeJson(asJson(explained)) : safeText(`${asText(explained, at.mode)}\n`));
  return 0;
}

function asJson({ analysis: { verdict, reason, hint }, parts, decision }: Explained): Json {
  const shown = parts.map(({ argv, verdict: own, reason: cause, rule, source, why, decision: ruled }) => {
    const part = { argv: [...argv], verdict: own, rule, source, why };
    return { ...part, ...(cause && { reason: cause }), ...(ruled && { decision: ruled }) };
  });
  const decided = { verdict: decision.verdict, rule: decision.rule, source: decision.source };
  return { verdict, ...(reason && { reason }), parts: shown, decision: decided, ...(hint !== undefined && { hint }) };
}

const meaning: Readonly<Record<CommandAnalysis["verdict"], string>> = {
  readonly: "it runs unasked in every mode",
  "needs-approval": "it asks, unless a rule or the mode answers",
  "never-auto": "only you can allow it, and only this very command",
};

const becomes = { allow: "it runs", ask: "it is asked about", deny: "it is denied" } as const;

function asText({ analysis: { verdict, reason, hint }, parts, decision }: Explained, mode: Mode): string {
  const lines = parts.map(
    (part) =>
      `  ${titleOf(part)}  ${part.argv.map(shownWord).join(" ")}\n      ${part.why} (${part.rule}, ${part.source})`,
  );
  return [
    `${verdict}${reason ? ` (${reason})` : ""}: ${meaning[verdict]}.`,
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
