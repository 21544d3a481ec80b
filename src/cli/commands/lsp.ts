// `cinch lsp status`: which language server serves what in this project, and why not. Starts nothing.

import { UserError } from "../../core/errors.js";
import { safeJson, safeText } from "../../lib/safe-text.js";
import { currentHarness } from "../current.js";
import { jsonFlag } from "../flags.js";
import { writeOut } from "../stdio.js";
import { lspView } from "../views/lsp.js";
import type { Command } from "./index.js";

const command: Command = {
  flags: [jsonFlag],
  words: { max: 1, hint: "status" },

  async run(values, [verb = "status"]): Promise<number> {
    if (verb !== "status") throw new UserError(`cinch lsp does not know "${verb}".`, "It knows: status.");
    const status = await currentHarness(values).languages.status();
    writeOut(values.has("json") ? safeJson({ ...status }) : safeText(`${lspView(status)}\n`));
    return 0;
  },
};

export default command;
