// What was said during a run, as its note in the log has it: written and read here and nowhere else.
// Invariant: what a note holds is what was said, images included. Not here: what becomes of it (agent/inbox.ts).

import type { EntryData } from "./entry.js";
import type { SteerMode } from "./event.js";
import { isImage } from "./image.js";
import type { ImagePart } from "./message.js";

export interface Steered {
  id: string;
  mode: SteerMode;
  text: string;
  images: readonly ImagePart[];
}

/** Codes of the notes about it: accepted, put into the conversation, given back to the user. */
export const steerCodes = { queued: "steer", delivered: "steer.delivered", dropped: "steer.dropped" } as const;

export function steerNote({ id, mode, text, images }: Steered): EntryData["note"] {
  const seen = images.length === 0 ? {} : { images: images.map((image) => ({ ...image })) };
  return { code: steerCodes.queued, text, data: { id, mode, ...seen } };
}

export function steeredIn({ text, data }: EntryData["note"]): Steered {
  const images: readonly unknown[] = Array.isArray(data?.["images"]) ? data["images"] : [];
  return {
    id: steerId(data),
    mode: data?.["mode"] === "now" ? "now" : "queue",
    text,
    images: images.filter(isImage),
  };
}

/** Whose beginning or end a note is. */
export function steerId(data: EntryData["note"]["data"]): string {
  return String(data?.["id"]);
}
