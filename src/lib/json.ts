// JSON text: canonical form for hashes, ASCII form for logs, and parsing that never throws.

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

/** The parsed value, or undefined when `text` is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The object that a call's arguments are: JSON, and no member named twice. Parsers differ on which of two members counts,
 * so such a text does not say what it asks for.
 */
export function parseArguments(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isObject(value) && !namesTwice(text) ? value : undefined;
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
