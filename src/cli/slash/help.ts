// /help: the slash commands there are.

import { slashHelp } from "./help-table.js";
import { defineSlash, type SlashFront } from "./slash.js";

const width = 28;

export default defineSlash({
  name: "help",
  usage: "[keys]",
  doc: "The commands that a prompt may begin with, or the keys",
  anytime: true,

  async run({ argument, front }) {
    if (argument === "keys") return { text: keysText(front.keys) };
    const all = await slashHelp();
    const lines = all.flatMap(({ name, usage, doc }) => {
      const call = `/${name} ${usage}`.trimEnd();
      return call.length < width ? [call.padEnd(width) + doc] : [call, " ".repeat(width) + doc];
    });
    return { text: lines.join("\n") };
  },
});

function keysText(keys: SlashFront["keys"]): string {
  if (!keys) return "There are no keys here.";
  return keys.map(({ keys, doc }) => `${keys.padEnd(width)} ${doc}`).join("\n");
}
