// JSON values as types. Everything that crosses a process, a file or a wire in Cinch is one of these.

export type Json = null | boolean | number | string | Json[] | JsonObject;

/** A JSON object. `undefined` members are never written; absent and `undefined` mean the same. */
export interface JsonObject {
  [key: string]: Json | undefined;
}

/** A JSON Schema (draft 2020-12 or 7), as sent to providers and shown by `use_tool`. */
export type JsonSchema = JsonObject;
