// JSON text: canonical form for hashes, ASCII form for logs, and parsing that never throws.
// Invariant: every value that comes out of here can be walked, compared and written by recursive code: text that is nested
// too deeply or holds too many values is not taken, whoever sent it. How long a text may be is decided where it is read.

import type { Json, JsonObject } from "../core/json.js";

/** JSON with object keys sorted at every level, so that equal values have equal text. */
export function canonical(value: Json | undefined): string {
  if (value === undefined) return "null";
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${members.join(",")}}`;
}

const notAscii = /[\u007f-\uffff]/g;

/** JSON text in ASCII only: every other UTF-16 unit is written as \uXXXX, so no raw control byte can reach a file. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(notAscii, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Levels of arrays and objects in a text that is taken. */
export const maxDepth = 500;
/** The same for a call's arguments, which become a part of larger texts. */
const maxArgumentDepth = 400;
/** Members and elements in a text that is taken. */
export const maxValues = 2_000_000;

/** The parsed value, or undefined when `text` is not JSON, is nested deeper than `maxDepth`, or holds more than `maxValues`. */
export function parseJson(text: string): Json | undefined {
  const value = parsed(text);
  return value === undefined || isBounded(value, text, maxDepth) ? value : undefined;
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** `text`: the source of `value`; a short one cannot hold more than is taken. */
function isBounded(value: Json, text: string, depth: number): boolean {
  if (text.length < 2 * depth) return true;
  let left = maxValues;
  const fits = (part: Json, levels: number): boolean => {
    if (typeof part !== "object" || part === null) return true;
    const inner = Array.isArray(part) ? part : Object.values(part);
    left -= inner.length;
    return levels > 0 && left >= 0 && inner.every((each) => each === undefined || fits(each, levels - 1));
  };
  return fits(value, depth);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object that a call's arguments are, or what is wrong with them, as the rest of "the arguments …". */
export type ArgumentsText = { value: JsonObject } | { fault: string };

/**
 * A text is arguments when it is a JSON object in which no member is named twice: parsers differ on which of two members
 * counts, so such a text does not say what it asks for.
 */
export function readArguments(text: string): ArgumentsText {
  const value = parsed(text);
  if (!isObject(value)) return { fault: "are not one complete JSON object" };
  if (!isBounded(value, text, maxArgumentDepth))
    return { fault: `are nested deeper than ${maxArgumentDepth} levels, or hold more than ${maxValues} values` };
  return namesTwice(text) ? { fault: "name a member twice" } : { value };
}

/** The arguments, or undefined when `text` is none. */
export function parseArguments(text: string): JsonObject | undefined {
  const read = readArguments(text);
  return "value" in read ? read.value : undefined;
}

const signs = /["{}[\],]/g;

/** `text` is JSON. */
function namesTwice(text: string): boolean {
  /** The names of each open object; null for an array. */
  const open: (Set<string> | null)[] = [];
  let isName = false;
  signs.lastIndex = 0;
  for (let found = signs.exec(text); found; found = signs.exec(text)) {
    const [sign] = found;
    if (sign === "{") open.push(new Set());
    else if (sign === "[") open.push(null);
    else if (sign === "}" || sign === "]") open.pop();
    else if (sign === '"') {
      const end = endOfString(text, found.index);
      const names = isName ? open.at(-1) : null;
      const name = names ? (JSON.parse(text.slice(found.index, end)) as string) : "";
      if (names?.has(name)) return true;
      names?.add(name);
      signs.lastIndex = end;
    }
    isName = (sign === "{" || sign === ",") && open.at(-1) instanceof Set;
  }
  return false;
}

/** Behind the quote that closes the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
  return text.length;
}
