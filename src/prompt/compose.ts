// From the active path to a request. Pure: the same entries give the same request, byte for byte.
// Invariant: nothing here reads a clock, a file or a setting; what the model is told is in the entries.

import { conversationOf } from "../core/conversation.js";
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

export interface ComposeOptions {
  tools: readonly ToolDeclaration[];
  model: string;
  maxOutput: number;
  /** The entry of the last message that is taken; without it all are. */
  until?: string | undefined;
}

/** The request for `path` under `model`; throws when the path holds no prompt, which is a bug of the caller. */
export function compose(path: readonly Entry[], { tools, model, maxOutput, until }: ComposeOptions): Composed {
  const prompt = lastOf(path, "prompt");
  if (!prompt) throw new Error("compose: the active path has no prompt entry");
  const { compacted, verbatim } = conversationOf(path);
  const messages: Message[] = compacted ? [compacted.message] : [];
  for (const said of verbatim) {
    const message = forModel(said.message, model);
    if (message.parts.length > 0) messages.push(message);
    if (said.id === until) break;
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
