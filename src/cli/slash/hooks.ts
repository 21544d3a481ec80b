// /hooks: the commands of the user that hear of events.

import { currentAt } from "../current.js";
import { defineSlash } from "./slash.js";

export default defineSlash({
  name: "hooks",
  usage: "",
  doc: "The hooks of your settings; those of the project are listed by /trust",
  anytime: true,

  async run({ session, dirs }) {
    const { hooks } = (await currentAt(session.init.root, dirs)).settings;
    if (hooks.length === 0) return { text: "Your settings have no hooks. docs/hooks.md says what they can do." };
    return {
      text: hooks
        .map(({ event, matcher, command }) => `${event.padEnd(20)} ${(matcher || "*").padEnd(20)} ${command}`)
        .join("\n"),
    };
  },
});
