// /cost: what this session has cost, and why the cache missed; with --explain each tool result over all turns.

import { UserError } from "../../core/errors.js";
import { costView } from "../views/cost.js";
import { defineSlash } from "./slash.js";

export default defineSlash({
  name: "cost",
  usage: "[--explain]",
  doc: "What this session has cost; --explain: each tool result over all the requests that carried it",
  anytime: true,

  async run({ session, argument }) {
    if (argument !== "" && argument !== "--explain") {
      throw new UserError(`/cost does not know ${JSON.stringify(argument)}.`, "Write /cost or /cost --explain.");
    }
    return { text: costView(await session.cost(), { explain: argument !== "" }) };
  },
});
