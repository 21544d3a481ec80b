// What a slash command is: a word such as /tree that a prompt may begin with, answered by Cinch itself; its words are
// never sent to the model. One file of this folder is one command.
// Invariant: a command sees the public face and nothing else, so that every front end can run it; what it says is text,
// and a UserError is how it says no, unless it has asked a model. It runs between two runs, never during one.

import type { Compaction, Harness, Session } from "../../index.js";

export interface SlashContext {
  harness: Harness;
  session: Session;
  /** What was typed behind the name, trimmed. */
  argument: string;
  /** The same, split at blanks outside of double quotes. */
  words: readonly string[];
}

export interface SlashAnswer {
  text: string;
  /** A text for the user to edit and send again. */
  draft?: string;
  /** The session that the conversation goes on in. */
  session?: Session;
  /** It has asked a model: with what end (`text` is then the reason), and what that took. */
  asked?: Pick<Compaction, "subtype" | "requests" | "usage" | "cost">;
}

export interface Slash {
  /** Without the slash; also the name of the file. */
  name: string;
  /** What may stand behind the name, or empty. */
  usage: string;
  /** One line for /help. */
  doc: string;
  run(context: SlashContext): Promise<SlashAnswer>;
}

export function defineSlash(slash: Slash): Slash {
  return slash;
}
