// Amazon Bedrock's ConverseStream: AWS event stream framing (length, headers and payload with checksums) around JSON.

import { crc32 } from "node:zlib";
import { argumentsOf, callId, pieces, startWire, type WireReply, type WireScript, type WireServer } from "./server.js";

const stops = { end: "end_turn", tools: "tool_use", length: "max_tokens", refusal: "content_filtered" } as const;

/** Base URL for clients: `url`. Events are objects with one member, the event's type. */
export function startBedrock(script: WireScript = []): Promise<WireServer> {
  return startWire(
    {
      contentType: "application/vnd.amazon.eventstream",
      frames: (reply) => bedrockEvents(reply).map((event) => frame(event as Record<string, unknown>)),
      error: (reply) =>
        JSON.stringify({ message: reply.error?.message ?? "no", type: reply.error?.type ?? "InternalServerException" }),
    },
    script,
  );
}

/** One message: lengths, checksum of the lengths, headers, payload, checksum of all before. */
function frame(event: Record<string, unknown>): Buffer {
  const [type = "", payload] = Object.entries(event)[0] ?? [];
  const exception = type.endsWith("Exception");
  const headers = Buffer.concat([
    header(":message-type", exception ? "exception" : "event"),
    header(exception ? ":exception-type" : ":event-type", type),
    header(":content-type", "application/json"),
  ]);
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.concat([word(16 + headers.length + body.length), word(headers.length)]);
  const message = Buffer.concat([prelude, word(crc32(prelude)), headers, body]);
  return Buffer.concat([message, word(crc32(message))]);
}

/** Type 7 is a string with a length of two bytes. */
function header(name: string, value: string): Buffer {
  const size = Buffer.alloc(2);
  size.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([7]), size, Buffer.from(value)]);
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function bedrockEvents(reply: WireReply): unknown[] {
  if (reply.events) return [...reply.events];
  const events: unknown[] = [{ messageStart: { role: "assistant" } }];
  let contentBlockIndex = 0;
  const block = (deltas: object[], start?: object) => {
    if (start) events.push({ contentBlockStart: { contentBlockIndex, start } });
    for (const delta of deltas) events.push({ contentBlockDelta: { contentBlockIndex, delta } });
    events.push({ contentBlockStop: { contentBlockIndex } });
    contentBlockIndex++;
  };
  if (reply.thinking) {
    const { text, signature } = reply.thinking;
    const deltas: object[] = pieces(text, reply.chunk).map((piece) => ({ reasoningContent: { text: piece } }));
    if (signature) deltas.push({ reasoningContent: { signature } });
    block(deltas);
  }
  if (reply.text !== undefined) block(pieces(reply.text, reply.chunk).map((text) => ({ text })));
  for (const [i, call] of (reply.calls ?? []).entries()) {
    const deltas = pieces(argumentsOf(call), reply.chunk).map((input) => ({ toolUse: { input } }));
    block(deltas, { toolUse: { toolUseId: callId(call, "tooluse", i), name: call.name } });
  }
  events.push({ messageStop: { stopReason: stops[reply.stop ?? (reply.calls?.length ? "tools" : "end")] } });
  const { input = 10, output = 5, read = 0, write = 0 } = reply.usage ?? {};
  const usage = {
    inputTokens: input,
    outputTokens: output,
    totalTokens: input + output + read + write,
    cacheReadInputTokens: read,
    cacheWriteInputTokens: write,
  };
  events.push({ metadata: { usage, metrics: { latencyMs: 1 } } });
  return events;
}
