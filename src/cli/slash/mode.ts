// /mode: the permission mode, and another one from here on.

import { UserError } from "../../core/errors.js";
import { type Mode, modes } from "../../core/policy.js";
import { defineSlash } from "./slash.js";

const docs: Record<Mode, string> = {
  ask: "reading is free, everything else asks",
  acceptEdits: "files of the project are changed without asking",
  auto: "commands run without asking, dangerous ones ask",
  plan: "nothing is changed",
};

export default defineSlash({
  name: "mode",
  usage: `[${modes.join(" | ")}]`,
  doc: "What runs without asking, from here on",

  async run({ session, argument, reopen }) {
    const current = session.init.permission_mode;
    const items = modes.map((mode) => ({ value: mode, label: mode, doc: docs[mode] }));
    if (argument === "") {
      const text = items.map(({ value, doc }) => `${value.padEnd(12)} ${doc}`).join("\n");
      return { text, choice: { title: "What runs without asking?", command: "mode", items, current } };
    }
    const mode = modes.find((each) => each === (argument === "default" ? "ask" : argument));
    if (!mode)
      throw new UserError(`There is no mode ${JSON.stringify(argument)}.`, `Write /mode ${modes.join(", /mode ")}.`);
    await reopen({ mode });
    return { text: `Mode ${mode}: ${docs[mode]}.` };
  },
});
