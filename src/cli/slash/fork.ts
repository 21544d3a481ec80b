// /fork: goes on behind an earlier entry, here or in a session of its own, with the project's files or without.

import { UserError } from "../../core/errors.js";
import type { ForkOptions } from "../../index.js";
import { forkText } from "../views/fork.js";
import { defineSlash, type SlashAnswer, type SlashContext } from "./slash.js";

export default defineSlash({
  name: "fork",
  usage: "<ID> [<NAME> [--switch]] [--files | --files-only]",
  doc: "Goes on behind an entry; a name makes a session of its own, --files takes the files there as well",

  async run(context) {
    const { session, words } = context;
    const flags = words.filter((word) => word.startsWith("--"));
    const [entry, ...rest] = words.filter((word) => !word.startsWith("--"));
    const unknown = flags.find((flag) => !known.includes(flag));
    if (unknown !== undefined) throw new UserError(`/fork does not know ${unknown}.`, use);
    if (entry === undefined) throw new UserError("/fork needs an entry.", use);
    const what = flags.includes("--files-only") ? "files" : flags.includes("--files") ? "both" : "conversation";
    const name = rest.join(" ");
    if (name !== "") return named(context, { entry, name, what, go: flags.includes("--switch") });
    if (flags.includes("--switch")) throw new UserError("--switch goes to a session with a name.", use);
    return { text: forkText(await session.fork(entry, { what }), what, session.init.cwd), moved: true };
  },
});

const known = ["--switch", "--files", "--files-only"];
const use = "Write /fork <ID>, or /fork <ID> <NAME> --switch. /tree shows the ids.";

interface Named {
  entry: string;
  name: string;
  what: NonNullable<ForkOptions["what"]>;
  go: boolean;
}

/** The copy is made beside this session, which holds its own lock; so it is this session that moves the files. */
async function named({ harness, session }: SlashContext, { entry, name, what, go }: Named): Promise<SlashAnswer> {
  if (what === "files") throw new UserError("Files alone make no session that could have a name.", use);
  const copy = await harness.sessions.fork(entry, { name, session: session.id });
  const files = what === "both" ? await filesOf(session.fork(entry, { what: "files" })) : [];
  const text = forkText({ ...copy, files }, what, session.init.cwd);
  return go ? { text, session: await harness.open({ resume: copy.session_id }) } : { text };

  async function filesOf(moved: ReturnType<typeof session.fork>) {
    try {
      return (await moved).files;
    } catch (error) {
      // Without its files the branch is not what was asked for.
      await harness.sessions.delete(copy.session_id);
      throw error;
    }
  }
}
