// `cinch permissions <verb>`: what may run unasked, and why.

import type { Values } from "../args.js";
import { jsonFlag } from "../flags.js";
import { explainCommand } from "../permissions-explain.js";
import { listRules, revoke, tryOut } from "../permissions-rules.js";
import { verbOf } from "../verbs.js";
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
    return verbOf("permissions", verbs, verb)(values, words);
  },
};

export default command;
