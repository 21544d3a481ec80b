// /tree: the branches of this session, and names for entries.

import { UserError } from "../../core/errors.js";
import { treeView } from "../views/tree.js";
import { defineSlash } from "./slash.js";

export default defineSlash({
  name: "tree",
  usage: "[all | label <ID> <TEXT>]",
  doc: "The branches of this session; label names an entry, without a text it takes the name away",
  anytime: true,

  async run({ session, argument, words }) {
    const [verb, id] = words;
    if (verb === undefined) return { text: treeView(await session.tree()) };
    if (verb === "all" && words.length === 1) return { text: treeView(await session.tree(), { all: true }) };
    if (verb !== "label" || id === undefined)
      throw new UserError(`/tree does not know ${JSON.stringify(argument)}.`, use);
    const text = argument.replace(/^label\s+("[^"]*"|\S+)\s*/, "").replace(/^"([^"]*)"$/, "$1");
    const entry = await session.label(id, text);
    return { text: text === "" ? `${entry.slice(0, 8)} has no name now.` : `${entry.slice(0, 8)} is "${text}" now.` };
  },
});

const use = "Write /tree, /tree all, or /tree label <ID> <TEXT>.";
