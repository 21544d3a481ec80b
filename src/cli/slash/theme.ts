// /theme: other colours, for now. The setting ui.theme keeps them.

import { UserError } from "../../core/errors.js";
import { defineSlash } from "./slash.js";

export default defineSlash({
  name: "theme",
  usage: "[terminal | dark | light | mono]",
  doc: "Other colours, for now; ui.theme in your settings keeps them",
  anytime: true,

  async run({ front: { theme }, argument }) {
    if (!theme) throw new UserError("There are no colours here.", "Themes are for the terminal.");
    const { current, names } = theme;
    if (argument === "") {
      const items = names.map((name) => ({ value: name, label: name }));
      const text = `${current}; there are ${names.join(", ")}.`;
      return { text, choice: { title: "Which colours?", command: "theme", items, current } };
    }
    if (!names.includes(argument))
      throw new UserError(`There is no theme ${JSON.stringify(argument)}.`, `There are ${names.join(", ")}.`);
    theme.set(argument);
    return { text: `Colours: ${argument}. {"ui": {"theme": "${argument}"}} in your settings keeps them.` };
  },
});
