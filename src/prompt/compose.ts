// From the active path to a request. Pure: the same entries give the same request, byte for byte.
// Invariant: nothing here reads a clock, a file or a setting; what the model is told is in the entries.

import { type Entry, lastOf } from "../core/entry.js";
import type { Message } from "../core/message.js";
import type { ModelRequest, ToolDeclaration } from "../core/model.js";
import type { ToolDescriptor } from "../core/tool.js";
import { sha256 } from "../lib/hash.js";
import { canonical } from "../lib/json.js";

export function declare(tools: readonly ToolDescriptor[]): ToolDeclaration[] {
  return tools.map(({ name, description, input }) => ({ name, description, input }));
}

/** Hashes by which a `prompt` entry remembers the tools of its segment. */
export function toolHashes(tools: readonly ToolDeclaration[]): string[] {
  return tools.map((tool) => sha256(canonical({ ...tool })).slice(0, 16));
}

export interface Composed extends Omit<ModelRequest, "marks"> {}

/** The request for `path` under `model`; throws when the path holds no prompt, which is a bug of the caller. */
export function compose(
  path: readonly Entry[],
  tools: readonly ToolDeclaration[],
  model: string,
  maxOutput: number,
): Composed {
  const prompt = lastOf(path, "prompt");
  if (!prompt) throw new Error("compose: the active path has no prompt entry");
  const messages: Message[] = [];
  for (const entry of path) {
    if (entry.type !== "message") continue;
    const message = forModel(entry.data, model);
    if (message.parts.length > 0) messages.push(message);
  }
  return { tools, stable: prompt.data.stable, context: prompt.data.context, messages, maxOutput };
}

const withoutForeign = new WeakMap<Message, { model: string; message: Message }>();

/** Thinking goes back only to the model that produced it (SPEC 2.4). Messages without foreign thinking stay identical. */
function forModel(message: Message, model: string): Message {
  if (!message.parts.some((part) => part.type === "thinking" && part.by !== model)) return message;
  const known = withoutForeign.get(message);
  if (known?.model === model) return known.message;
  const parts = message.parts.filter((part) => part.type !== "thinking" || part.by === model);
  const filtered = { ...message, parts };
  withoutForeign.set(message, { model, message: filtered });
  return filtered;
}
