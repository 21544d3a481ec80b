// The JSON Schema of a tool's input, as short as it can be: it is sent with every request.
// Invariant: same zod schema, same text; keys keep the order of the definition. What says nothing is left out: `$schema`,
// bounds of safe integers, "any other member", empty objects. Unknown members are ignored, so nothing forbids them.

import * as z from "zod";
import type { Json, JsonObject, JsonSchema } from "../../core/json.js";
import type { InputSchema } from "../../core/tool.js";
import { isObject } from "../../lib/json.js";

/** Throws when `schema` is not one of zod 4. */
export function jsonSchemaOf(schema: InputSchema<unknown>): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema as z.ZodType, { io: "input" }) as JsonObject;
  return slim(json) as JsonSchema;
}

function slim(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.map((item) => slim(item) ?? null);
  if (!isObject(value)) return value;
  const out: JsonObject = {};
  for (const [key, member] of Object.entries(value)) if (!saysNothing(key, member)) out[key] = slim(member);
  return out;
}

function saysNothing(key: string, value: Json | undefined): boolean {
  if (key === "maximum") return value === Number.MAX_SAFE_INTEGER;
  if (key === "minimum") return value === Number.MIN_SAFE_INTEGER;
  if (key === "propertyNames") return true;
  if (key === "additionalProperties" || key === "properties") return isObject(value) && Object.keys(value).length === 0;
  return false;
}
