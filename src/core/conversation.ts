// What of a path the model still reads. A compaction stands for everything up to the entry it names as `to`; what came
// after that entry is read as it was said, and so is all that follows.
// Invariant: the entries a compaction stands for stay on the path and are only left out here, so moving the head to one
// of them brings them back.

import { type Entry, lastOf } from "./entry.js";
import { withoutLostImages } from "./image.js";
import type { Message } from "./message.js";

/** A message of the conversation, and the entry it comes from. */
export interface Said {
  id: string;
  message: Message;
}

export interface Conversation {
  /** The text that stands for what was compacted, when something was. */
  compacted: Said | null;
  /** What is read as it was said, oldest first. */
  verbatim: readonly Said[];
  /** How many of those were said before the compaction. */
  kept: number;
}

export function conversationOf(path: readonly Entry[]): Conversation {
  const compaction = lastOf(path, "compaction");
  const from = compaction ? firstVerbatim(path, compaction) : 0;
  const block = path.findLastIndex((entry) => entry.type === "prompt");
  const verbatim: Said[] = [];
  let kept = 0;
  for (const [i, entry] of path.entries()) {
    if (i < from) continue;
    if (entry === compaction) kept = verbatim.length;
    // What was told of the surroundings before the newest block is in that block, and newer there.
    const told = entry.type === "message" && entry.data.context === true && i < block;
    if (entry.type === "message" && !told) verbatim.push({ id: entry.id, message: withoutLostImages(entry.data) });
  }
  const compacted = compaction ? { id: compaction.id, message: standIn(compaction.data) } : null;
  return { compacted, verbatim, kept };
}

/** Where a path goes on verbatim. A `to` that is not on it can only mean all that came before. */
function firstVerbatim(path: readonly Entry[], compaction: Entry<"compaction">): number {
  const to = path.findIndex((entry) => entry.id === compaction.data.to);
  return to < 0 ? path.indexOf(compaction) : to + 1;
}

const standIns = new WeakMap<Entry<"compaction">["data"], Message>();

/** One object per compaction: a request that goes on must hold the very message of the one before. */
function standIn(data: Entry<"compaction">["data"]): Message {
  const known = standIns.get(data);
  if (known) return known;
  const message: Message = { role: "user", parts: [{ type: "text", text: data.summary }], origin: "harness" };
  standIns.set(data, message);
  return message;
}
