// The verbs of a subcommand (`cinch sessions list`): the one that was given, out of a table with one function a verb.
// What a command does without a verb is its own affair.

import { UserError } from "../core/errors.js";

/** Exit 2 with the verbs there are when it is none of them; "" = none was given. */
export function verbOf<Run>(command: string, verbs: Readonly<Record<string, Run>>, verb: string): Run {
  const run = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (run !== undefined) return run;
  const what = verb === "" ? `cinch ${command} has nothing to do.` : `cinch ${command} does not know "${verb}".`;
  throw new UserError(what, `It knows: ${Object.keys(verbs).join(", ")}.`);
}
