// /rewind: back to before the newest message, or before one that is named; its text is handed over to be said differently.

import { UserError } from "../../core/errors.js";
import { forkText } from "../views/fork.js";
import { defineSlash } from "./slash.js";

export default defineSlash({
  name: "rewind",
  usage: "[<ID>] [--files]",
  doc: "Goes back to before your newest message, or before the one named",

  async run({ session, words }) {
    const [entry, ...more] = words.filter((word) => word !== "--files");
    if (more.length > 0 || entry?.startsWith("--")) {
      throw new UserError(`/rewind does not know ${JSON.stringify(entry?.startsWith("--") ? entry : more[0])}.`, use);
    }
    const what = words.includes("--files") ? "both" : "conversation";
    const fork = await session.rewind(entry, { what });
    const { draft, images } = { draft: fork.draft ?? "", images: fork.images ?? [] };
    const text = `${forkText(fork, what, session.init.cwd)}\nYour message was:\n${draft}`;
    return { text, draft, images, moved: true };
  },
});

const use = "Write /rewind, or /rewind <ID> with the id of a message of yours; --files takes the files back as well.";
