// Sessions as files, as the public face shows them: lists, trees, forks. Types only.

import type { ImagePart } from "../../core/message.js";
import type { OutlineEntry as TreeEntry } from "../../session/outline.js";

/** What a picker shows of a session. */
export interface SessionSummary {
  id: string;
  label: string | null;
  /** The first line of the first message; null when there is none. */
  prompt: string | null;
  /** ISO 8601, or "" when unknown. */
  created: string;
  last_activity: string;
  entries: number | null;
  root: string;
  file: string;
  /** Bytes. */
  size: number;
  /** Why it cannot be resumed, as far as its first lines tell; null = nothing wrong there. */
  problem: string | null;
}

export interface SessionDetails extends SessionSummary, Omit<SessionTree, "session_id" | "entries"> {
  /** That goes on with it unless another one is named. */
  model: string | null;
  /** Answers of a model, on all branches. */
  turns: number;
  /** Ends of the conversation. */
  branches: number;
  labels: { entry: string; label: string }[];
}

export interface SessionTree {
  session_id: string;
  label: string | null;
  root: string;
  /** The session and the entry that this one was forked from. */
  parent_session: string | null;
  fork_of: string | null;
  /** Last entry of the active path. */
  head: string | null;
  /** In file order: a parent stands before its children. */
  entries: TreeEntry[];
  /** Sessions of the agents that worked for this one, whoever gave a task before whoever got it. */
  agents: AgentSession[];
  /** Lines that cannot be read, and entries that hang on lost ones. */
  damaged: number;
  lost: number;
}

export interface AgentSession {
  session_id: string;
  /** The session that gave the task. */
  above: string;
  task: string;
  agent: string;
  /** The first line of its task; null when it never began. */
  prompt: string | null;
}

export interface ForkOptions {
  /** What goes to that entry; default the conversation. `files`: the project's files, as they were there. */
  what?: "conversation" | "files" | "both";
}

export interface Fork {
  /** Of the session that holds the branch. */
  session_id: string;
  /** What the next message hangs on; null = nothing yet. */
  head: string | null;
  /** Of a new session. */
  name: string | null;
  /** Paths that were changed on disk. */
  files: { path: string; action: string }[];
  /** The text of the message that was gone back before; null for a fork. */
  draft: string | null;
  /** Its images, when it had some. */
  images?: readonly ImagePart[];
}

export interface Deleted {
  session_id: string;
  /** Files and directories. */
  removed: string[];
}

/** Sessions are named by id, by a unique prefix of one, or by label; default the newest of this project. */
export interface Sessions {
  /** Newest first; of this project, or of all. */
  list(options?: { all?: boolean }): Promise<SessionSummary[]>;
  /** All that is known of one without its texts. Reads the whole file. */
  show(session?: string): Promise<SessionDetails>;
  tree(session?: string): Promise<SessionTree>;
  /** Names an entry; an empty text takes its name away. Returns the entry's id. */
  label(entry: string, text: string, session?: string): Promise<string>;
  /** With `name` the path to the entry is copied to a new session of that name, which is not opened. */
  fork(entry: string, options?: ForkOptions & { name?: string; session?: string }): Promise<Fork>;
  /** Refused while the session is in use. */
  delete(session: string): Promise<Deleted>;
}
