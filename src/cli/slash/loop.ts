// /loop: where the controller of the newest run stands, and how it got there.

import { UserError } from "../../core/errors.js";
import { loopView } from "../views/loop.js";
import { defineSlash } from "./slash.js";

export default defineSlash({
  name: "loop",
  usage: "[status | all]",
  doc: "What the newest run did: states, counts, reminders, steering; all: every run",
  anytime: true,

  async run({ session, argument }) {
    if (!["", "status", "all"].includes(argument)) {
      throw new UserError(`/loop does not know ${JSON.stringify(argument)}.`, "Write /loop status or /loop all.");
    }
    return { text: loopView(session.loop(), { all: argument === "all" }) };
  },
});
