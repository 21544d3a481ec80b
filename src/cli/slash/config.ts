// /config: every setting, its value and where that is from; what `cinch config --explain` says.

import { configText } from "../commands/config.js";
import { currentAt } from "../current.js";
import { defineSlash } from "./slash.js";

export default defineSlash({
  name: "config",
  usage: "",
  doc: "Every setting, its value and where it comes from",
  anytime: true,

  async run({ session, dirs }) {
    return { text: configText(await currentAt(session.init.root, dirs)) };
  },
});
