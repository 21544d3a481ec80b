// `cinch init`: an AGENTS.md from what is found here.

import { safeJson, safeText } from "../../lib/safe-text.js";
import { currentPlace } from "../current.js";
import { jsonFlag } from "../flags.js";
import { initProject } from "../init/init.js";
import { writeOut } from "../stdio.js";
import type { Command } from "./index.js";

const command: Command = {
  flags: [jsonFlag],

  async run(values) {
    const { root } = currentPlace(values);
    const text = await initProject(root, "cinch trust project");
    writeOut(values.has("json") ? safeJson({ root, text }) : safeText(`${text}\n`));
    return 0;
  },
};

export default command;
