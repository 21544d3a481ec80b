// OpenAI Responses as the vendor streams it: items are added, grow by deltas, and are done.

import { argumentsOf, callId, pieces, startWire, type WireReply, type WireScript, type WireServer } from "./server.js";

/** Base URL for clients: `${url}/v1`. `thinking.signature` is sent as encrypted reasoning. */
export function startResponses(script: WireScript = []): Promise<WireServer> {
  return startWire(
    {
      contentType: "text/event-stream; charset=utf-8",
      frames: (reply) =>
        responsesEvents(reply).map((payload) => {
          const type = (payload as { type: string }).type;
          return `event: ${type}\ndata: ${JSON.stringify(payload)}\n\n`;
        }),
      error: (reply) =>
        JSON.stringify({
          error: {
            message: reply.error?.message ?? "no",
            type: reply.error?.type ?? "server_error",
            param: null,
            code: reply.error?.type ?? null,
          },
        }),
    },
    script,
  );
}

function responsesEvents(reply: WireReply): unknown[] {
  if (reply.events) return [...reply.events];
  const response = {
    id: "resp_1",
    object: "response",
    created_at: 1_700_000_000,
    model: "gpt-test",
    status: "in_progress",
  };
  let sequence_number = 0;
  let output_index = 0;
  const events: object[] = [];
  const emit = (type: string, data: object) => events.push({ type, sequence_number: sequence_number++, ...data });
  const item = (started: object, middle: () => void, finished: object) => {
    emit("response.output_item.added", { output_index, item: started });
    middle();
    emit("response.output_item.done", { output_index, item: finished });
    output_index++;
  };
  emit("response.created", { response });
  if (reply.thinking) {
    const { text, signature = "encrypted" } = reply.thinking;
    const head = { id: "rs_1", type: "reasoning", encrypted_content: signature };
    item(
      { ...head, summary: [] },
      () => {
        const at = { item_id: "rs_1", output_index, summary_index: 0 };
        emit("response.reasoning_summary_part.added", { ...at, part: { type: "summary_text", text: "" } });
        for (const delta of pieces(text, reply.chunk)) emit("response.reasoning_summary_text.delta", { ...at, delta });
        emit("response.reasoning_summary_part.done", { ...at, part: { type: "summary_text", text } });
      },
      { ...head, summary: [{ type: "summary_text", text }] },
    );
  }
  if (reply.text !== undefined) {
    const text = reply.text;
    const head = { id: "msg_1", type: "message", role: "assistant" };
    item(
      { ...head, status: "in_progress", content: [] },
      () => {
        const at = { item_id: "msg_1", output_index, content_index: 0 };
        for (const delta of pieces(text, reply.chunk))
          emit("response.output_text.delta", { ...at, delta, logprobs: [] });
      },
      { ...head, status: "completed", content: [{ type: "output_text", text, annotations: [], logprobs: [] }] },
    );
  }
  for (const [i, call] of (reply.calls ?? []).entries()) {
    const id = `fc_${i + 1}`;
    const head = { id, type: "function_call", call_id: callId(call, "call", i), name: call.name };
    const text = argumentsOf(call);
    const last = i === (reply.calls?.length ?? 0) - 1 && reply.stop === "length";
    item(
      { ...head, arguments: "", status: "in_progress" },
      () => {
        for (const delta of pieces(text, reply.chunk))
          emit("response.function_call_arguments.delta", { item_id: id, output_index, delta });
        if (!last) emit("response.function_call_arguments.done", { item_id: id, output_index, arguments: text });
      },
      { ...head, arguments: text, status: last ? "incomplete" : "completed" },
    );
  }
  const { input = 10, output = 5, read = 0 } = reply.usage ?? {};
  const usage = {
    input_tokens: input + read,
    input_tokens_details: { cached_tokens: read },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + read + output,
  };
  if (reply.stop === "length") {
    const cut = { incomplete_details: { reason: "max_output_tokens" }, status: "incomplete", usage };
    emit("response.incomplete", { response: { ...response, ...cut } });
  } else if (reply.stop === "refusal") {
    const cut = { incomplete_details: { reason: "content_filter" }, status: "incomplete", usage };
    emit("response.incomplete", { response: { ...response, ...cut } });
  } else
    emit("response.completed", { response: { ...response, status: "completed", incomplete_details: null, usage } });
  return events;
}
