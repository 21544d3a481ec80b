// /tools: what the model can do here.

import { builtinTools } from "../../tools/index.gen.js";
import { defineSlash } from "./slash.js";

export default defineSlash({
  name: "tools",
  usage: "",
  doc: "The tools that are declared in every request, and those it reaches through the door",
  anytime: true,

  async run({ session }) {
    const declared = new Set(session.init.tools);
    const rows = builtinTools.map(({ descriptor: { name, family, description } }) => {
      const where = declared.has(name) ? "declared" : family;
      return `${name.padEnd(28)} ${where.padEnd(11)} ${description.split(/(?<=\.)\s/)[0] ?? ""}`;
    });
    return { text: rows.join("\n") };
  },
});
