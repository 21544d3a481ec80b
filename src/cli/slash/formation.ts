// /formation [<name>]: the teams that `cinch build` can work in, or one of them.

import { formationsOf } from "../../build/roster.js";
import { UserError } from "../../core/errors.js";
import { formationsView, formationView } from "../views/formations.js";
import { defineSlash } from "./slash.js";

export default defineSlash({
  name: "formation",
  usage: "[<name>]",
  doc: "The teams that cinch build can work in, or one of them",
  anytime: true,

  async run({ harness, argument }) {
    const known = await formationsOf(harness);
    if (argument === "") return { text: formationsView(known) };
    const found = known.find(({ name }) => name === argument);
    if (found) return { text: formationView(found) };
    const names = known.map(({ name }) => name).join(", ");
    throw new UserError(`There is no formation ${JSON.stringify(argument)}.`, `There are: ${names}.`);
  },
});
