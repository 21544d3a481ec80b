// What was said during a run, as its notes in the log have it: written and read here and nowhere else; and what a change makes of the
// list of what waits, for the inbox, the report of a session and a screen alike.
// Invariant: what a note holds is what was said, images included. Not here: what becomes of it (agent/inbox.ts).

import type { EntryData } from "./entry.js";
import type { SteerMode } from "./event.js";
import { imageLine, isImage } from "./image.js";
import type { ImagePart } from "./message.js";

export interface Steered {
  id: string;
  mode: SteerMode;
  text: string;
  images: readonly ImagePart[];
}

/** Not read by the model yet, and without its images. */
export type Waiting = Pick<Steered, "id" | "mode" | "text">;

/** Another text, or another place: in front of the one with this id. */
export interface SteerChange {
  text?: string;
  before?: string;
}

/** Codes of the notes about it: accepted, changed, put into the conversation, given back to the user. */
export const steerCodes = {
  queued: "steer",
  revised: "steer.revised",
  delivered: "steer.delivered",
  dropped: "steer.dropped",
} as const;

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

export function revisedNote(id: string, { text, before }: SteerChange & { text: string }): EntryData["note"] {
  return { code: steerCodes.revised, text, data: before === undefined ? { id } : { id, before } };
}

/** What such a note says. */
export function changeOf({ text, data }: EntryData["note"]): SteerChange & { text: string } {
  const before = data?.["before"];
  return typeof before === "string" ? { text, before } : { text };
}

/** Who is to stand in front of somebody who does not wait any more stays where it is. */
export function revised<Of extends Waiting>(waiting: readonly Of[], id: string, change: SteerChange): Of[] {
  const { before } = change;
  const moves = before !== undefined && before !== id && waiting.some((each) => each.id === before);
  const made = waiting.flatMap((each) => (each.id === id ? [retold(each, change.text ?? each.text)] : []));
  return waiting.flatMap((each) => {
    if (each.id === id) return moves ? [] : made;
    return moves && each.id === before ? [...made, each] : [each];
  });
}

/** In other words: an image that the text has named, and names no longer, is not said either. */
export function retold<Of extends { text: string; images?: readonly ImagePart[] }>(said: Of, text: string): Of {
  if (!said.images) return { ...said, text };
  const images = said.images.filter((image) => {
    const words = imageLine(image);
    return text.includes(words) || !said.text.includes(words);
  });
  return { ...said, text, images };
}
