// `cinch permissions explain "<command>"`: what the analysis makes of a shell command that would start in this directory, and
// what the rules and the mode here make of that.

import { UserError } from "../core/errors.js";
import type { Json } from "../core/json.js";
import type { ExplainedCommand } from "../index.js";
import { safeJson, safeText } from "../lib/safe-text.js";
import type { Values } from "./args.js";
import { currentHarness } from "./current.js";
import { writeErr, writeOut } from "./stdio.js";
import { explainedView } from "./views/permissions.js";

export async function explainCommand(values: Values, [command]: readonly string[]): Promise<number> {
  if (command === undefined || command.trim() === "") {
    throw new UserError(
      "cinch permissions explain needs a command.",
      'Write it as one word: cinch permissions explain "git status"',
    );
  }
  const explained = await currentHarness(values).permissions.explain(command);
  for (const text of explained.remarks) writeErr(safeText(`${text}\n`));
  writeOut(values.has("json") ? safeJson(asJson(explained)) : safeText(`${explainedView(explained)}\n`));
  return 0;
}

function asJson({ verdict, reason, hint, parts, decision, where }: ExplainedCommand): Json {
  const shown = parts.map(({ argv, verdict: own, reason: cause, rule, source, why, decision: ruled }) => {
    const part = { argv: [...argv], verdict: own, rule, source, why };
    return { ...part, ...(cause && { reason: cause }), ...(ruled && { decision: ruled }) };
  });
  return {
    verdict,
    ...(reason && { reason }),
    parts: shown,
    decision,
    ...(where && { where }),
    ...(hint !== undefined && { hint }),
  };
}
