// /doctor: what `cinch doctor` says.

import { doctorText } from "../commands/doctor.js";
import { currentAt } from "../current.js";
import { defineSlash } from "./slash.js";

export default defineSlash({
  name: "doctor",
  usage: "",
  doc: "Checks settings, sessions, kept contents and programs",
  anytime: true,

  async run({ session, dirs, harness }) {
    return { text: await doctorText(await currentAt(session.init.root, dirs), harness) };
  },
});
