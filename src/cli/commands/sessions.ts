// `cinch sessions <verb>`: what can be done with sessions as a whole, one function a verb.

import type { Values } from "../args.js";
import { jsonFlag } from "../flags.js";
import { deleteSession, listSessions, showSession } from "../sessions-list.js";
import { verifySessions } from "../sessions-verify.js";
import { verbOf } from "../verbs.js";
import type { Command } from "./index.js";

const verbs: Record<string, (values: Values, words: readonly string[]) => Promise<number>> = {
  list: listSessions,
  show: showSession,
  delete: deleteSession,
  verify: verifySessions,
};

const command: Command = {
  flags: [
    { name: "all", kind: { is: "switch" }, doc: "list: of every project" },
    { name: "cost", kind: { is: "switch" }, doc: "show: what it has cost, and each tool result over all turns" },
    { name: "loop", kind: { is: "switch" }, doc: "show: what its runs did: states, counts, reminders, steering" },
    { name: "yes", kind: { is: "switch" }, doc: "delete: do not ask" },
    jsonFlag,
  ],
  words: { max: 2, hint: "list | show [<id>] | verify [<id>] | delete <id>" },

  async run(values, [verb = "", ...words]): Promise<number> {
    return verbOf("sessions", verbs, verb)(values, words);
  },
};

export default command;
