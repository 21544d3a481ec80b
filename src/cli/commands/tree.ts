// `cinch tree`: the branches of a session; `cinch tree label` names an entry. Reading takes no lock.

import { UserError } from "../../core/errors.js";
import { safeJson, safeText } from "../../lib/safe-text.js";
import type { Values } from "../args.js";
import { currentSessions, sessionFlag } from "../current-sessions.js";
import { jsonFlag } from "../flags.js";
import { writeOut } from "../stdio.js";
import { treeView } from "../views/tree.js";
import type { Command } from "./index.js";

const command: Command = {
  flags: [sessionFlag, { name: "all", kind: { is: "switch" }, doc: "Every entry, nothing folded" }, jsonFlag],
  words: { max: 3, hint: "[<session>] | label <entry> <text>" },

  async run(values, words): Promise<number> {
    if (words[0] === "label") return label(values, words.slice(1));
    if (words.length > 1) throw new UserError(`cinch tree: ${JSON.stringify(words[1])} is one word too many.`, usage);
    const tree = await currentSessions(values).tree(words[0] ?? values.text("session"));
    if (values.has("json")) writeOut(safeJson(tree));
    else writeOut(safeText(`${treeView(tree, { all: values.has("all") })}\n`));
    return 0;
  },
};

export default command;

const usage = "Write: cinch tree [<session>], or: cinch tree label <entry> <text>.";

async function label(values: Values, [entry, text]: readonly string[]): Promise<number> {
  if (entry === undefined || text === undefined)
    throw new UserError("cinch tree label needs an entry and a text.", usage);
  const id = await currentSessions(values).label(entry, text, values.text("session"));
  const name = text.trim() === "" ? null : text.trim();
  if (values.has("json")) writeOut(safeJson({ entry: id, label: name }));
  else writeOut(safeText(name === null ? `${id} has no name now.\n` : `${id} is "${name}" now.\n`));
  return 0;
}
