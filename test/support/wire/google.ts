// Google's Gemini API (`streamGenerateContent?alt=sse`): chunks of candidates, calls in one piece, signatures on parts.

import { callId, pieces, sse, startWire, type WireReply, type WireScript, type WireServer } from "./server.js";

const stops = { end: "STOP", tools: "STOP", length: "MAX_TOKENS", refusal: "SAFETY" } as const;

/** Base URL for clients: `${url}/v1beta`. `signature` of thinking and calls is the part's thoughtSignature. */
export function startGoogle(script: WireScript = []): Promise<WireServer> {
  return startWire(
    {
      contentType: "text/event-stream",
      frames: (reply) => googleEvents(reply).map(sse),
      error: (reply) =>
        JSON.stringify({ error: { code: reply.status, message: reply.error?.message ?? "no", status: "X" } }),
    },
    script,
  );
}

function googleEvents(reply: WireReply): unknown[] {
  if (reply.events) return [...reply.events];
  const { input = 10, output = 5, read = 0 } = reply.usage ?? {};
  const usageMetadata = {
    promptTokenCount: input + read,
    cachedContentTokenCount: read,
    candidatesTokenCount: output,
    totalTokenCount: input + read + output,
  };
  const chunk = (part: object, finishReason?: string) => ({
    candidates: [{ content: { role: "model", parts: [part] }, index: 0, ...(finishReason ? { finishReason } : {}) }],
    usageMetadata,
    modelVersion: "gemini-test",
  });
  const events: unknown[] = [];
  for (const text of reply.thinking ? pieces(reply.thinking.text, reply.chunk) : [])
    events.push(chunk({ text, thought: true }));
  for (const text of reply.text === undefined ? [] : pieces(reply.text, reply.chunk)) events.push(chunk({ text }));
  for (const [i, call] of (reply.calls ?? []).entries()) {
    const functionCall = { id: callId(call, "fn", i), name: call.name, args: call.input ?? {} };
    events.push(chunk({ functionCall, ...(call.signature ? { thoughtSignature: call.signature } : {}) }));
  }
  events.push(chunk({ text: "" }, stops[reply.stop ?? "end"]));
  return events;
}
