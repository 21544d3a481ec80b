// /context: what fills the window: how much of the newest request is instructions, what was said, and results of tools.

import { contextView } from "../views/context.js";
import { defineSlash } from "./slash.js";

export default defineSlash({
  name: "context",
  usage: "",
  doc: "What fills the model's window",
  anytime: true,

  async run({ session }) {
    return { text: contextView([...session.entries()], session.init.window) };
  },
});
