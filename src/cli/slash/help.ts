// /help: the slash commands there are.

import { slashCommands } from "./index.js";
import { defineSlash } from "./slash.js";

const width = 28;

export default defineSlash({
  name: "help",
  usage: "",
  doc: "The commands that a prompt may begin with",

  async run() {
    const all = await Promise.all(Object.values(slashCommands).map((load) => load()));
    const lines = all.flatMap(({ name, usage, doc }) => {
      const call = `/${name} ${usage}`.trimEnd();
      return call.length < width ? [call.padEnd(width) + doc] : [call, " ".repeat(width) + doc];
    });
    return { text: lines.join("\n") };
  },
});
