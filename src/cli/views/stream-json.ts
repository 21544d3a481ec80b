// The lines of --output-format stream-json (SPEC 2.2), the shape that other tools already parse. Pure: facts in, objects out.
// Invariant: built from entries, never from deltas, so what is printed is what is in the log.

import type { Entry } from "../../core/entry.js";
import type { Event } from "../../core/event.js";
import type { JsonObject } from "../../core/json.js";
import type { Message, Part, Stop } from "../../core/message.js";
import { resultUsage } from "../../core/result.js";
import type { Init } from "../../index.js";
import { sha256 } from "../../lib/hash.js";

export interface Frame {
  session: string;
  model: string;
  /** The call that gave the agent its task; null = it is the session's own. */
  call: string | null;
}

export function initLine(init: Init): JsonObject {
  const { session_id, model, cwd, tools, permission_mode, trust, ignored, sandbox, version } = init;
  const facts = { model, cwd, tools: [...tools], permission_mode, trust, ignored: [...ignored], sandbox, version };
  return { type: "system", subtype: "init", session_id, uuid: uuidOf(`${session_id} init`), ...facts };
}

/** The line for a message entry; null for any other entry. */
export function messageLine(entry: Entry, { session, model, call }: Frame): JsonObject | null {
  if (entry.type !== "message") return null;
  const frame = { parent_tool_use_id: call, session_id: session, uuid: uuidOf(`${session} ${entry.id}`) };
  const { data } = entry;
  if (data.role === "assistant") return { type: "assistant", message: assistant(entry.id, model, data), ...frame };
  const content = data.parts.flatMap(block);
  const origin = data.origin ?? (data.role === "tool" ? "harness" : "user");
  return { type: "user", message: { role: "user", content }, origin, ...frame };
}

export function approvalLine(event: Extract<Event, { type: "approval.ask" }>): JsonObject {
  const { id, agent, tool, summary, reason, rule } = event;
  const parts = event.parts.map(({ argv, paths: _paths, beyond: _beyond, ...part }) => ({ argv: [...argv], ...part }));
  return { type: "system", subtype: "approval", id, agent, tool, summary, reason, parts, rule };
}

export function ackLine(line: number, error: string | null): JsonObject {
  const ack = { type: "system", subtype: "ack", line, ok: error === null };
  return error === null ? ack : { ...ack, error };
}

function assistant(id: string, model: string, message: Message): JsonObject {
  return {
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model,
    content: message.parts.flatMap(block),
    stop_reason: message.stop ? stopReasons[message.stop] : null,
    usage: message.usage ? { ...resultUsage(message.usage) } : null,
  };
}

const stopReasons: Record<Stop, string> = {
  end: "end_turn",
  tools: "tool_use",
  length: "max_tokens",
  refusal: "refusal",
};

function block(part: Part): JsonObject[] {
  switch (part.type) {
    case "text":
      return [{ type: "text", text: part.text }];
    case "thinking":
      return [{ type: "thinking", thinking: part.text }];
    case "call":
      return [{ type: "tool_use", id: part.id, name: part.tool, input: part.input }];
    case "result":
      return [{ type: "tool_result", tool_use_id: part.callId, content: part.text, is_error: part.isError }];
    case "image":
      return [{ type: "image", source: { type: "base64", media_type: part.mediaType, data: part.data } }];
  }
}

/** The same text gives the same id, so a line of a session can be found again. Version 8, variant 1. */
function uuidOf(text: string): string {
  const hex = sha256(text);
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join("-");
}
