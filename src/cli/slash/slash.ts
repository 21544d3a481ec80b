// What a slash command is: a word such as /tree that a prompt may begin with, answered by Cinch itself; its words are
// never sent to the model. One file of this folder is one command.
// Invariant: a command sees the public face and what its front end can do for it, and nothing else, so that every front end can
// run it; what it says is text, and a UserError is how it says no, unless it has asked a model. It runs between two runs,
// unless it is harmless at any time.

import type { HomeDirs } from "../../config/home.js";
import type { Compaction, Harness, ImagePart, Result, Session, WorkDone } from "../../index.js";
import type { Reopening } from "../desk.js";

/** What a front end does for commands; a script has no looks to change. */
export interface SlashFront {
  /** Leaves Cinch when this command has answered. */
  quit(): void;
  /** The user can answer with another command; a single prompt of a script has nobody behind it. */
  hears: boolean;
  /** Shows what waits as a list that can be worked on; undefined where nothing is drawn. */
  queue?(): void;
  /** Undefined where there are no colours. */
  theme?: { current: string; names: readonly string[]; set(name: string): void };
  /** The keys in force, for help; undefined where there are none. */
  keys?: readonly { keys: string; doc: string }[];
}

export interface SlashContext {
  harness: Harness;
  session: Session;
  /** The user's own files. */
  dirs: HomeDirs;
  /** What was typed behind the name, trimmed. */
  argument: string;
  /** The same, split at blanks outside of double quotes. */
  words: readonly string[];
  front: SlashFront;
  /** The conversation goes on with another model, in another mode or in another session. */
  reopen(change: Reopening): Promise<Session>;
  /** Shown at once, while the command goes on. */
  tell(text: string): void;
  /** Aborted when the user does not want to wait for it. */
  signal: AbortSignal;
}

/** Something to choose from: a front end with a screen shows a list and runs `/<command> <value>`. */
export interface SlashChoice {
  title: string;
  command: string;
  items: readonly { value: string; label: string; doc?: string }[];
  /** The value in force. */
  current?: string;
}

export interface SlashAnswer {
  text: string;
  /** A text for the user to edit and send again. */
  draft?: string;
  /** Its images. */
  images?: readonly ImagePart[];
  /** The session that the conversation goes on in. */
  session?: Session;
  /** The conversation goes on at another entry. */
  moved?: true;
  /** Says the same as `text`, for those who can choose. */
  choice?: SlashChoice;
  /** It has asked a model: with what end (`text` is then the reason), and what that took. */
  asked?: Pick<Compaction, "subtype" | "requests" | "usage" | "cost"> & Partial<WorkDone & Pick<Result, "duration_ms">>;
}

export interface Slash {
  /** Without the slash; also the name of the file. */
  name: string;
  /** What may stand behind the name, or empty. */
  usage: string;
  /** One line for /help. */
  doc: string;
  /** It only looks, so it need not wait for the end of a run. */
  anytime?: true;
  run(context: SlashContext): Promise<SlashAnswer>;
}

export function defineSlash(slash: Slash): Slash {
  return slash;
}
