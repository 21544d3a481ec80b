// /undo: the project's files as they were before your newest message or build, or before a message that is named. The
// conversation stays.

import { UserError } from "../../core/errors.js";
import { forkText } from "../views/fork.js";
import { defineSlash } from "./slash.js";

export default defineSlash({
  name: "undo",
  usage: "[<ID>]",
  doc: "Takes files back to before your newest message or build, or before the message named; the conversation stays",

  async run({ session, words }) {
    if (words.length > 1)
      throw new UserError(`/undo does not know ${JSON.stringify(words[1])}.`, "Write /undo or /undo <ID>.");
    const fork = await session.rewind(words[0], { what: "files" });
    return { text: forkText(fork, "files", session.init.cwd) };
  },
});
