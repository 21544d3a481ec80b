// /init: an AGENTS.md from what is found in the project; what `cinch init` does.

import { initProject } from "../init/init.js";
import { defineSlash } from "./slash.js";

export default defineSlash({
  name: "init",
  usage: "",
  doc: "Writes an AGENTS.md from what is found here; lists settings of other tools",

  async run({ session }) {
    return { text: await initProject(session.init.root, "/trust") };
  },
});
