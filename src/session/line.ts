// An entry as the text of its line, and back (FORMAT.md). The checksum is lib/jsonl's; payloads over 64 KB are spill.ts's.
// Invariant: key order is fixed, so that the front of a line can be read without parsing its data: that is what keeps
// a session of 100,000 entries small in memory.

import type { Entry, EntryType } from "../core/entry.js";
import { isObject, parseJson } from "../lib/json.js";

export const formatVersion = 1;

/** What is known of a line without parsing its data. */
export interface LineHead {
  v: number;
  seq: number;
  id: string;
  parent: string | null;
  type: string;
}

export interface Frame {
  seq: number;
  id: string;
  parent: string | null;
  type: EntryType;
  time: number;
}

/** The entry as one JSON object without checksum; `data` is JSON text already. */
export function lineOf(frame: Frame, data: string): string {
  // A line that `front` would not recognise is lost to every reader; ids and times come in through ports.
  if (!Number.isSafeInteger(frame.time)) throw new Error(`${frame.time} is not a time in whole milliseconds`);
  if (!idForm.test(frame.id)) throw new Error(`"${frame.id}" cannot be the id of an entry`);
  const parent = frame.parent === null ? "null" : `"${frame.parent}"`;
  return (
    `{"v":${formatVersion},"seq":${frame.seq},"id":"${frame.id}","parent":${parent},` +
    `"type":"${frame.type}","time":${frame.time},"data":${data}}`
  );
}

const idForm = /^[\w-]{1,64}$/;
const front =
  /^\{"v":(\d{1,9}),"seq":(\d{1,15}),"id":"([\w-]{1,64})","parent":(?:"([\w-]{1,64})"|null),"type":"(\w{1,32})","time":-?\d{1,16},"data":/;

/** The front of a line, or null when it is not one of ours. */
export function headOf(line: string): LineHead | null {
  const match = front.exec(line);
  if (!match) return null;
  const [, v = "", seq = "", id = "", parent, type = ""] = match;
  return { v: Number(v), seq: Number(seq), id, parent: parent ?? null, type };
}

/**
 * The entry of a line whose checksum is right; null when it is not an entry after all.
 * @param restore puts back what was spilled
 */
export function entryOf(line: string, restore: (data: unknown, line: string) => unknown): Entry | null {
  const value = parseJson(line);
  if (!isObject(value) || !isObject(value["data"])) return null;
  const { seq, id, parent, type, time } = value;
  // The types were checked by headOf, whose pattern every line passes before it gets here.
  return { v: 1, seq, id, parent, type, time, data: restore(value["data"], line) } as unknown as Entry;
}
