// `cinch fork`: moves a session to an earlier entry, or copies the path to it to a session of its own; with --files the
// project's files go there too.

import { UserError } from "../../core/errors.js";
import { safeJson, safeText } from "../../lib/safe-text.js";
import { currentPlace } from "../current.js";
import { currentSessions, sessionFlag } from "../current-sessions.js";
import { jsonFlag } from "../flags.js";
import { writeOut } from "../stdio.js";
import { forkText } from "../views/fork.js";
import type { Command } from "./index.js";

const command: Command = {
  flags: [
    sessionFlag,
    { name: "files", kind: { is: "switch" }, doc: "The files go there too" },
    { name: "files-only", kind: { is: "switch" }, doc: "Only the files; the conversation stays" },
    jsonFlag,
  ],
  words: { max: 2, hint: "<entry> [<name>]" },

  async run(values, [entry, name]): Promise<number> {
    if (entry === undefined) {
      throw new UserError("cinch fork needs an entry.", "`cinch tree` shows them: cinch fork <entry> [<name>].");
    }
    const what = values.has("files-only") ? "files" : values.has("files") ? "both" : "conversation";
    const session = values.text("session");
    const options = {
      what,
      ...(name === undefined ? {} : { name }),
      ...(session === undefined ? {} : { session }),
    } as const;
    const fork = await currentSessions(values).fork(entry, options);
    if (values.has("json")) writeOut(safeJson(fork));
    else writeOut(safeText(`${forkText(fork, what, currentPlace(values).root)}\n`));
    return 0;
  },
};

export default command;
