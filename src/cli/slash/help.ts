// /help: the slash commands there are.

import { slashCommands } from "./index.js";
import { defineSlash } from "./slash.js";

export default defineSlash({
  name: "help",
  usage: "",
  doc: "The commands that a prompt may begin with",

  async run() {
    const all = await Promise.all(Object.values(slashCommands).map((load) => load()));
    const calls = all.map(({ name, usage }) => `/${name} ${usage}`.trimEnd());
    const width = Math.max(...calls.map((call) => call.length)) + 2;
    return { text: all.map(({ doc }, i) => `${(calls[i] ?? "").padEnd(width)}${doc}`).join("\n") };
  },
});
