// Anthropic Messages as the vendor streams it: named server-sent events, block by block.

import { argumentsOf, callId, pieces, startWire, type WireReply, type WireScript, type WireServer } from "./server.js";

export type { WireReply, WireServer } from "./server.js";

const stops = { end: "end_turn", tools: "tool_use", length: "max_tokens", refusal: "refusal" } as const;

/** Base URL for clients: `url` (without `/v1`, as ANTHROPIC_BASE_URL). */
export function startAnthropic(script: WireScript = []): Promise<WireServer> {
  return startWire(
    {
      contentType: "text/event-stream; charset=utf-8",
      frames: (reply) => anthropicEvents(reply).map(frame),
      error: (reply) =>
        JSON.stringify({
          type: "error",
          error: { type: reply.error?.type ?? "api_error", message: reply.error?.message ?? "no" },
        }),
    },
    script,
  );
}

function frame(payload: unknown): string {
  const type = (payload as { type: string }).type;
  return `event: ${type}\ndata: ${JSON.stringify(payload)}\n\n`;
}

/** The payloads of one reply, in order. */
export function anthropicEvents(reply: WireReply): unknown[] {
  if (reply.events) return [...reply.events];
  const { input = 10, output = 5, read = 0, write = 0 } = reply.usage ?? {};
  const usage = {
    input_tokens: input,
    cache_creation_input_tokens: write,
    cache_read_input_tokens: read,
    output_tokens: 1,
  };
  const message = { id: "msg_1", type: "message", role: "assistant", model: "claude-test", content: [], usage };
  const events: unknown[] = [
    { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null } },
    { type: "ping" },
  ];
  let index = 0;
  const block = (content_block: object, deltas: object[]) => {
    events.push({ type: "content_block_start", index, content_block });
    for (const delta of deltas) events.push({ type: "content_block_delta", index, delta });
    events.push({ type: "content_block_stop", index });
    index++;
  };
  if (reply.thinking) {
    const { text, signature } = reply.thinking;
    const deltas: object[] = pieces(text, reply.chunk).map((thinking) => ({ type: "thinking_delta", thinking }));
    if (signature) deltas.push({ type: "signature_delta", signature });
    block({ type: "thinking", thinking: "", signature: "" }, deltas);
  }
  if (reply.redacted !== undefined) block({ type: "redacted_thinking", data: reply.redacted }, []);
  if (reply.text !== undefined) {
    block(
      { type: "text", text: "" },
      pieces(reply.text, reply.chunk).map((text) => ({ type: "text_delta", text })),
    );
  }
  for (const [i, call] of (reply.calls ?? []).entries()) {
    const deltas = pieces(argumentsOf(call), reply.chunk).map((partial_json) => ({
      type: "input_json_delta",
      partial_json,
    }));
    block({ type: "tool_use", id: callId(call, "toolu", i), name: call.name, input: {} }, [
      { type: "input_json_delta", partial_json: "" },
      ...deltas,
    ]);
  }
  const stop = reply.stop ?? (reply.calls?.length ? "tools" : "end");
  events.push({
    type: "message_delta",
    delta: { stop_reason: stops[stop], stop_sequence: null },
    usage: { ...usage, output_tokens: output },
  });
  events.push({ type: "message_stop" });
  return events;
}
