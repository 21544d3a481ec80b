// /compact [focus]: makes the conversation shorter now.

import { defineSlash } from "./slash.js";

export default defineSlash({
  name: "compact",
  usage: "[FOCUS]",
  doc: "Make the conversation shorter; a ledger and a summary take the place of its older part",

  async run({ session, argument }) {
    const { text, ...asked } = await session.compact(argument);
    return { text, asked };
  },
});
