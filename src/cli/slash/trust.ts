// /trust: what of this project is trusted, trusting it, and taking that back. A decision counts for the next session.
// Invariant: `project` alone only lists; the yes is a word made of what was listed, so that what has changed since, or was
// never shown, cannot be agreed to.

import { UserError } from "../../core/errors.js";
import type { Trust } from "../../index.js";
import { sha256 } from "../../lib/hash.js";
import { canonical } from "../../lib/json.js";
import { pending, trustView } from "../views/trust.js";
import { defineSlash } from "./slash.js";

export default defineSlash({
  name: "trust",
  usage: "[status | project [<CODE>] | revoke]",
  doc: "What of this project is trusted; project lists it with the code that trusts it",

  async run({ harness: { trust }, words: [verb = "status", yes] }) {
    switch (verb) {
      case "status":
        return { text: trustView(await trust.status()) };
      case "project":
        return { text: await project(trust, yes) };
      case "revoke":
        return {
          text: (await trust.revoke()) ? "No longer trusted, from the next session on." : "Nothing was on record.",
        };
      default:
        throw new UserError(
          `/trust does not know ${JSON.stringify(verb)}.`,
          "Write /trust, /trust project or /trust revoke.",
        );
    }
  },
});

async function project(trust: Trust, yes: string | undefined): Promise<string> {
  const shown = await trust.status();
  const code = sha256(canonical(shown.resources.map(({ hash }) => hash))).slice(0, 6);
  if (yes === code) {
    const told = await trust.approve(shown);
    return [...(told === null ? [] : [told]), "Trusted, from the next session on."].join("\n");
  }
  const question = pending(shown);
  const way = question === null ? [] : [`${question} Then write: /trust project ${code}`];
  const other =
    yes === undefined ? [] : [`${JSON.stringify(yes)} does not stand for what is there now; nothing was trusted.`];
  return [trustView(shown), ...other, ...way].join("\n");
}
