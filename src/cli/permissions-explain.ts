// `cinch permissions explain "<command>"`: what the analysis makes of a shell command that would start in this directory.

import type { CommandAnalysis, CommandPart } from "../core/command.js";
import { UserError } from "../core/errors.js";
import type { Json } from "../core/json.js";
import { createCommands } from "../harness/commands.js";
import { nodeFs } from "../lib/fs.js";
import { safeJson, safeText } from "../lib/safe-text.js";
import type { Values } from "./args.js";
import { currentPlace } from "./current.js";
import { writeOut } from "./stdio.js";

export async function explainCommand(values: Values, [command]: readonly string[]): Promise<number> {
  if (command === undefined || command.trim() === "") {
    throw new UserError(
      "cinch permissions explain needs a command.",
      'Write it as one word: cinch permissions explain "git status"',
    );
  }
  const { root, cwd } = currentPlace(values);
  const analysis = await createCommands({ disk: nodeFs, root, env: process.env }).analyse(command, cwd);
  writeOut(values.has("json") ? safeJson(asJson(analysis)) : safeText(`${asText(analysis)}\n`));
  return 0;
}

function asJson({ verdict, reason, parts, hint }: CommandAnalysis): Json {
  const shown = parts.map(({ argv, verdict: own, reason: cause, rule, source, why }) => {
    const part = { argv: [...argv], verdict: own, rule, source, why };
    return cause === undefined ? part : { ...part, reason: cause };
  });
  return { verdict, ...(reason && { reason }), parts: shown, ...(hint !== undefined && { hint }) };
}

const meaning: Readonly<Record<CommandAnalysis["verdict"], string>> = {
  readonly: "it runs unasked in every mode",
  "needs-approval": "it asks, unless a rule or the mode answers",
  "never-auto": "only you can allow it, and only this very command",
};

function asText({ verdict, reason, parts, hint }: CommandAnalysis): string {
  const lines = parts.map(
    (part) =>
      `  ${titleOf(part)}  ${part.argv.map(shownWord).join(" ")}\n      ${part.why} (${part.rule}, ${part.source})`,
  );
  return [
    `${verdict}${reason ? ` (${reason})` : ""}: ${meaning[verdict]}.`,
    ...lines,
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
