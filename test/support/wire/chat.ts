// OpenAI Chat Completions as compatible servers stream it: one chunk object per event, usage last, then [DONE].

import {
  argumentsOf,
  callId,
  pieces,
  sse,
  startWire,
  type WireReply,
  type WireScript,
  type WireServer,
} from "./server.js";

const stops = { end: "stop", tools: "tool_calls", length: "length", refusal: "content_filter" } as const;

/** Base URL for clients: `${url}/v1` (as OPENAI_BASE_URL). `models`: what GET /v1/models lists. */
export function startChat(script: WireScript = [], models: readonly string[] = ["test"]): Promise<WireServer> {
  return startWire(
    {
      contentType: "text/event-stream",
      frames: (reply, request) =>
        request.path.endsWith("/models")
          ? [JSON.stringify({ object: "list", data: models.map((id) => ({ id, object: "model" })) })]
          : [...chatEvents(reply).map(sse), "data: [DONE]\n\n"],
      error: (reply) =>
        JSON.stringify({
          error: { message: reply.error?.message ?? "no", type: reply.error?.type ?? "server_error", code: null },
        }),
    },
    script,
  );
}

function chatEvents(reply: WireReply): unknown[] {
  if (reply.events) return [...reply.events];
  const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_700_000_000, model: "test" };
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason }],
  });
  const events: unknown[] = [chunk({ role: "assistant", content: "" })];
  for (const text of reply.thinking ? pieces(reply.thinking.text, reply.chunk) : []) {
    events.push(chunk({ reasoning_content: text }));
  }
  for (const content of reply.text === undefined ? [] : pieces(reply.text, reply.chunk))
    events.push(chunk({ content }));
  for (const [index, call] of (reply.calls ?? []).entries()) {
    const id = callId(call, "call", index);
    events.push(chunk({ tool_calls: [{ index, id, type: "function", function: { name: call.name, arguments: "" } }] }));
    for (const part of pieces(argumentsOf(call), reply.chunk)) {
      events.push(chunk({ tool_calls: [{ index, function: { arguments: part } }] }));
    }
  }
  events.push(chunk({}, stops[reply.stop ?? (reply.calls?.length ? "tools" : "end")]));
  const { input = 10, output = 5, read = 0 } = reply.usage ?? {};
  const usage = {
    prompt_tokens: input + read,
    completion_tokens: output,
    total_tokens: input + read + output,
    prompt_tokens_details: { cached_tokens: read },
  };
  events.push({ ...head, choices: [], usage });
  return events;
}
