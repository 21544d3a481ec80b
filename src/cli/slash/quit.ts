// /quit: leaves Cinch.

import { defineSlash } from "./slash.js";

export default defineSlash({
  name: "quit",
  usage: "",
  doc: "Leaves Cinch; the session can be gone on with",
  anytime: true,

  async run({ front }) {
    front.quit();
    return { text: "" };
  },
});
