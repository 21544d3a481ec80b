// `cinch trust status | project | revoke`: what of this project is trusted, trusting what was shown, and taking it back.
// Invariant: nothing is recorded that was not listed first; without a terminal a yes has to be given as --yes.

import { UserError } from "../../core/errors.js";
import type { Trust, TrustStatus } from "../../index.js";
import { safeJson, safeText } from "../../lib/safe-text.js";
import type { Values } from "../args.js";
import { askYesNo } from "../ask.js";
import { currentHarness } from "../current.js";
import { jsonFlag } from "../flags.js";
import { writeErr, writeOut } from "../stdio.js";
import { verbOf } from "../verbs.js";
import { pending, trustView } from "../views/trust.js";
import type { Command } from "./index.js";

const command: Command = {
  flags: [{ name: "yes", kind: { is: "switch" }, doc: "Do not ask" }, jsonFlag],
  words: { max: 1, hint: "status | project | revoke" },

  async run(values, [verb = "status"]): Promise<number> {
    return verbOf("trust", verbs, verb)(values, currentHarness(values).trust);
  },
};

export default command;

const verbs: Record<string, (values: Values, trust: Trust) => Promise<number>> = {
  async status(values, trust) {
    show(values, await trust.status());
    return 0;
  },

  async project(values, trust) {
    const shown = await trust.status();
    const question = pending(shown);
    if (!values.has("json")) writeOut(safeText(`${trustView(shown)}\n`));
    if (question !== null && !(await isSure(values, question))) {
      writeOut(safeText("Nothing was trusted.\n"));
      return 0;
    }
    const told = await trust.approve(shown);
    if (told !== null) writeErr(safeText(`${told}\n`));
    if (values.has("json")) show(values, await trust.status());
    else writeOut(safeText("Trusted, as shown. `cinch trust revoke` takes it back.\n"));
    return 0;
  },

  async revoke(values, trust) {
    const revoked = await trust.revoke();
    if (values.has("json")) writeOut(safeJson({ revoked }, 0));
    else writeOut(safeText(revoked ? "No longer trusted.\n" : "Nothing was on record for this project.\n"));
    return 0;
  },
};

async function isSure(values: Values, question: string): Promise<boolean> {
  if (values.has("yes")) return true;
  const answer = values.has("json") ? null : await askYesNo(question);
  if (answer !== null) return answer;
  throw new UserError("Nobody can be asked here. Nothing was trusted.", "Add --yes to trust what is listed.");
}

function show(values: Values, status: TrustStatus): void {
  writeOut(values.has("json") ? safeJson(status) : safeText(`${trustView(status)}\n`));
}
