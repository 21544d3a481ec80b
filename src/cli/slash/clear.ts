// /clear: a new session. The one before stays as it is and can be gone on with.

import { defineSlash } from "./slash.js";

export default defineSlash({
  name: "clear",
  usage: "",
  doc: "Begins a new session; the one before stays",

  async run({ session, reopen }) {
    const next = await reopen({ resume: null });
    return { text: `A new session, ${next.id}. The one before is ${session.id}.` };
  },
});
