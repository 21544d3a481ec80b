// Redaction of whole entries and other structured data. Pure.
// Invariants: data without a secret is the very same object; names of files, hashes, ids and whatever else a restart has to
// find again stay exact (docs/security.md); a thinking part that holds a secret is dropped whole, for it is replayed
// verbatim or not at all (SPEC 1.5).

import type { EntryData, EntryType } from "../core/entry.js";
import type { Part } from "../core/message.js";
import type { Redactor } from "../core/redactor.js";
import { steeredIn } from "../core/steer.js";

/** Nothing of these was said or printed by anybody. */
const exact: ReadonlySet<EntryType> = new Set<EntryType>(["header", "model", "checkpoint", "claim", "head"]);

export function redactedEntry<Type extends EntryType>(
  redactor: Pick<Redactor, "values" | "all">,
  type: Type,
  data: EntryData[Type],
): EntryData[Type] {
  if (exact.has(type)) return data;
  const images = imagesOf(type, data);
  const clean = redactedData(data, (text) => (images.includes(text) ? text : redactor.values(text)));
  if (type === "message")
    return withoutThoughts(data as EntryData["message"], clean as EntryData["message"]) as typeof data;
  if (type === "intent")
    return exactly(data as EntryData["intent"], clean as EntryData["intent"], "paths", "files") as typeof data;
  if (type === "outcome")
    return exactly(data as EntryData["outcome"], clean as EntryData["outcome"], "files") as typeof data;
  if (type !== "note") return clean;
  const note = clean as EntryData["note"];
  const text = redactor.all(note.text);
  return (text === note.text ? note : { ...note, text }) as typeof data;
}

/** Bytes of images are no text: a chance match in them would only damage the image. */
function imagesOf<Type extends EntryType>(type: Type, data: EntryData[Type]): string[] {
  if (type === "note") return steeredIn(data as EntryData["note"]).images.map((image) => image.data);
  if (type !== "message") return [];
  return (data as EntryData["message"]).parts.flatMap((part) => (part.type === "image" ? [part.data] : []));
}

/** All of `after` but for one member. */
function exactly<Data extends object>(before: Data, after: Data, ...names: (keyof Data)[]): Data {
  if (before === after) return before;
  const kept = names.flatMap((name) => (before[name] === undefined ? [] : [[name, before[name]]]));
  return { ...after, ...Object.fromEntries(kept) };
}

function withoutThoughts(before: EntryData["message"], after: EntryData["message"]): EntryData["message"] {
  if (before === after) return before;
  const holds = (part: Part, i: number) => part.type === "thinking" && part !== before.parts[i];
  return { ...after, parts: after.parts.filter((part, i) => !holds(part, i)) };
}

/** `data` with every string in it mapped, names of members included. */
export function redactedData<Data>(data: Data, redact: (text: string) => string): Data {
  return mapped(data, redact) as Data;
}

function mapped(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => mapped(item, redact));
    return items.some((item, i) => item !== value[i]) ? items : value;
  }
  const before = Object.entries(value);
  const after = before.map(([name, member]) => [redact(name), mapped(member, redact)] as const);
  const same = after.every(([name, member], i) => name === before[i]?.[0] && member === before[i]?.[1]);
  return same ? value : Object.fromEntries(after);
}
