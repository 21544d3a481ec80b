// /model: which model answers, and another one for the rest of the conversation.

import { catalogIds } from "../../models/catalog.js";
import { defineSlash } from "./slash.js";

export default defineSlash({
  name: "model",
  usage: "[<PROVIDER/MODEL>]",
  doc: "The model that answers, or another one from here on",

  async run({ session, argument, reopen }) {
    const { model, model_source: source } = session.init;
    if (argument === "") {
      const items = [...new Set([model, ...catalogIds()])].map((id) => ({ value: id, label: id }));
      const text = `${model} (${source}). /model <PROVIDER/MODEL> takes another one; known are:\n${items.map(({ label }) => `  ${label}`).join("\n")}`;
      return { text, choice: { title: "Which model?", command: "model", items, current: model } };
    }
    const next = await reopen({ model: argument });
    return { text: `${next.init.model} answers from here on. Its provider has nothing of this in its cache yet.` };
  },
});
