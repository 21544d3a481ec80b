// From a tool's file to its place in the catalogue: the descriptor at once, the code on first use.

import type { JsonSchema } from "../../core/json.js";
import type { DefinedTool, Tool, ToolDescriptor, ToolEntry } from "../../core/tool.js";

/** Any definition: dispatch hands a tool only what that tool itself parsed and planned, so its types are its own affair. */
// biome-ignore lint/suspicious/noExplicitAny: there is no other word for "each with its own types".
export type AnyDefinition = DefinedTool<any, any, any>;

/** An entry whose code is imported when it is first asked for. */
export function lazyEntry(descriptor: ToolDescriptor, load: () => Promise<{ default: AnyDefinition }>): ToolEntry {
  let tool: Promise<Tool> | undefined;
  return {
    descriptor,
    load: () => {
      tool ??= load().then((module) => withInput(module.default, descriptor.input));
      return tool;
    },
  };
}

/** The whole tool: its definition and its JSON Schema. */
export function withInput(defined: AnyDefinition, input: JsonSchema): Tool {
  return { ...defined, input };
}
