// /resume: goes on with another session.

import { UserError } from "../../core/errors.js";
import { defineSlash } from "./slash.js";

export default defineSlash({
  name: "resume",
  usage: "<ID>",
  doc: "Goes on with another session: its id, the beginning of it, or its name",

  async run({ session, argument, reopen }) {
    const named = argument.replace(/^"([^"]*)"$/, "$1");
    if (named === "") throw new UserError("/resume needs a session.", "/sessions lists them.");
    if (named === session.id) return { text: "That is this session." };
    const next = await reopen({ resume: named });
    return { text: `This is session ${next.id} now.` };
  },
});
