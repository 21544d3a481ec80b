// /permissions: the rules that stand for this session, what a command would need, and taking back an answer that was kept.
// Invariant: it shows and tightens; nothing typed here allows anything.

import { UserError } from "../../core/errors.js";
import { explainedView, rulesView } from "../views/permissions.js";
import { defineSlash } from "./slash.js";

export default defineSlash({
  name: "permissions",
  usage: '[list | explain "<COMMAND>" | revoke <RULE>]',
  doc: "The rules that stand here; what a command would need; takes back an answer that was kept",
  anytime: true,

  async run({ harness: { permissions }, argument }) {
    const [, verb = "", behind = ""] = /^(\S*)\s*(.*)$/s.exec(argument) ?? [];
    switch (verb) {
      case "":
      case "list": {
        const listing = await permissions.list();
        return { text: [...listing.remarks, rulesView(listing)].join("\n") };
      }
      case "explain":
        return { text: explainedView(await permissions.explain(named(behind, "explain needs a command"))) };
      case "revoke": {
        const rule = named(behind, "revoke needs a rule");
        await permissions.revoke(rule);
        return { text: `Revoked: ${rule}` };
      }
      default:
        throw new UserError(`/permissions does not know ${JSON.stringify(verb)}.`, ways);
    }
  },
});

const ways = 'Write /permissions, /permissions explain "git status" or /permissions revoke Edit(/a.txt).';

/** All that stands behind the verb; quotes around the whole of it are not part of it. */
function named(behind: string, missing: string): string {
  const text = /^"([^"]*)"$/.exec(behind)?.[1] ?? behind;
  if (text.trim() === "") throw new UserError(`/permissions ${missing}.`, ways);
  return text;
}
