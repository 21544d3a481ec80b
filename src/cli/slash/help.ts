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
    const lines = all.map(({ name, usage, doc }) => twoColumns(`/${name} ${usage}`.trimEnd(), doc));
    return { text: lines.join("\n") };
  },
});

function keysText(keys: SlashFront["keys"]): string {
  if (!keys) return "There are no keys here.";
  return keys.map(({ keys, doc }) => twoColumns(keys, doc)).join("\n");
}

/** On one row: the screen knows how wide it is, and where such a row is broken. */
function twoColumns(left: string, doc: string): string {
  return `${left.padEnd(width - 2)}  ${doc}`;
}
