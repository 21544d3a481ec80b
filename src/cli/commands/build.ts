// `cinch build [<spec.md> | "<what>"]`: a plan, a yes to it, and the plan carried out by a team. With --resume a build goes on.
// Invariant: nothing is built before somebody has said yes to this plan, on the terminal or with --yes.

import { UserError } from "../../core/errors.js";
import { buildFlags } from "../build/flags.js";
import { runBuild } from "../build/run.js";
import type { Command } from "./index.js";

const command: Command = {
  flags: buildFlags,
  words: { max: 1, hint: '[<spec.md> | "<what>"]' },
  async run(values, [wanted]): Promise<number> {
    const ways = [wanted, values.text("plan"), values.text("resume")].filter((each) => each !== undefined);
    if (ways.length !== 1)
      throw new UserError(
        ways.length === 0 ? "There is nothing to build." : "What to build is said twice.",
        'One of: cinch build spec.md, cinch build "what", cinch build --plan plan.yaml, cinch build --resume <id>.',
      );
    return runBuild(values, wanted);
  },
};

export default command;
