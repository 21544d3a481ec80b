// The package's "./tools" entry: what is needed to define a tool, and the built-in ones.
// It loads zod. Starting Cinch therefore imports index.gen.ts, never this file.

import type { JsonSchema } from "../core/json.js";
import type { DefinedTool, PortName, ToolDescriptor, ToolEntry } from "../core/tool.js";
import { withInput } from "./parts/entry.js";
import { jsonSchemaOf } from "./parts/schema.js";

export { defineTool } from "../core/tool.js";
export { builtinTools } from "./index.gen.js";

/**
 * A catalogue entry for a tool made at run time.
 * `input`: its JSON Schema; without it the schema is rendered from the tool's zod schema, when first asked for.
 */
export function toolEntry<Input, Data, Need extends PortName>(
  defined: DefinedTool<Input, Data, Need>,
  input?: JsonSchema,
): ToolEntry {
  const { name, verb, alias, family, effects, needs, description } = defined;
  let rendered = input;
  const descriptor: ToolDescriptor = {
    name,
    verb,
    alias,
    family,
    effects,
    needs,
    description,
    get input() {
      rendered ??= jsonSchemaOf(defined.schema);
      return rendered;
    },
  };
  if (defined.order !== undefined) descriptor.order = defined.order;
  if (defined.aka !== undefined) descriptor.aka = defined.aka;
  if (defined.terms !== undefined) descriptor.terms = defined.terms;
  if (defined.salvage !== undefined) descriptor.salvage = defined.salvage;
  return { descriptor, load: async () => withInput(defined, descriptor.input) };
}
