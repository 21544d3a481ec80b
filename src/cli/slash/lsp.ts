// /lsp status: which language server serves what in this project, which of them run, and why not.

import { UserError } from "../../core/errors.js";
import { lspView } from "../views/lsp.js";
import { defineSlash } from "./slash.js";

export default defineSlash({
  name: "lsp",
  usage: "[status]",
  doc: "Which language server serves what here, which of them run, and why not",
  anytime: true,

  async run({ harness, argument }) {
    if (!["", "status"].includes(argument)) {
      throw new UserError(`/lsp does not know ${JSON.stringify(argument)}.`, "Write /lsp or /lsp status.");
    }
    return { text: lspView(await harness.languages.status()) };
  },
});
