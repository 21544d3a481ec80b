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
