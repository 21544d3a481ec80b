// `cinch permissions <verb>`: what may run unasked, and why.

import { UserError } from "../../core/errors.js";
import type { Values } from "../args.js";
import { jsonFlag } from "../flags.js";
import { explainCommand } from "../permissions-explain.js";
import { listRules, revoke, tryOut } from "../permissions-rules.js";
import type { Command } from "./index.js";

const verbs: Record<string, (values: Values, words: readonly string[]) => Promise<number>> = {
  list: listRules,
  explain: explainCommand,
  revoke,
  try: tryOut,
};

const command: Command = {
  flags: [jsonFlag],
  words: { max: 2, hint: `list | explain "<command>" | revoke '<rule>' | try '<rule>'` },

  async run(values, [verb = "", ...words]): Promise<number> {
    const run = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
    if (run) return run(values, words);
    const what = verb === "" ? "cinch permissions has nothing to do." : `cinch permissions does not know "${verb}".`;
    throw new UserError(what, `It knows: ${Object.keys(verbs).join(", ")}.`);
  },
};

export default command;
