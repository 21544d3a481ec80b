// The stream parts of a LanguageModelV3 as our message: what has arrived so far is always a valid (partial) message.
// Invariant: a call's input is what its raw text parses to, or the text is kept as `raw`; nothing is repaired.

import type { LanguageModelV3StreamPart, LanguageModelV3Usage } from "@ai-sdk/provider";
import type { JsonObject } from "../core/json.js";
import type { CallPart, Message, Part, Stop, Usage } from "../core/message.js";
import type { ModelEvent } from "../core/model.js";
import { isObject, parseArguments } from "../lib/json.js";

type Metadata = Record<string, unknown> | undefined;
type OpaquePart = Extract<Part, { opaque?: JsonObject }>;

export class MessageBuilder {
  readonly parts: Part[] = [];
  /** How it ended; undefined while it has not, or when the connection ended before the message did. */
  stop: Stop | undefined;
  usage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  /** An error the provider reported inside the stream. */
  error: unknown;

  #ended = false;
  readonly #by: string;
  /** Which part a stream id means now; ids may repeat after their end. */
  readonly #open = new Map<string, Part>();
  readonly #texts = new Map<CallPart, string>();

  constructor(by: string) {
    this.#by = by;
  }

  /** Takes one stream part; returns the event it means to the outside, if any. Nothing counts behind the end. */
  take(part: LanguageModelV3StreamPart): ModelEvent | undefined {
    if (this.#ended) return undefined;
    switch (part.type) {
      case "text-start":
        this.#start(`text ${part.id}`, { type: "text", text: "" }, part.providerMetadata);
        return undefined;
      case "text-delta":
        return this.#text(part.id, part.delta, part.providerMetadata);
      case "text-end":
        this.#keep(this.#open.get(`text ${part.id}`), part.providerMetadata);
        return undefined;
      case "reasoning-start":
        this.#start(`thinking ${part.id}`, { type: "thinking", text: "", by: this.#by }, part.providerMetadata);
        return undefined;
      case "reasoning-delta":
        return this.#thinking(part.id, part.delta, part.providerMetadata);
      case "reasoning-end":
        this.#keep(this.#open.get(`thinking ${part.id}`), part.providerMetadata);
        return undefined;
      case "tool-input-start":
        this.#call(part.id, part.toolName, part.providerMetadata);
        return undefined;
      case "tool-input-delta":
        return this.#input(part.id, part.delta);
      case "tool-call":
        return this.#called(part);
      case "finish":
        this.#finish(part);
        return undefined;
      case "error":
        this.error ??= part.error;
        return undefined;
      default:
        return undefined;
    }
  }

  /** What has arrived, calls closed as far as their text allows. */
  message(): Message {
    for (const [call, text] of this.#texts) closeCall(call, text, this.stop === "length" && call === this.parts.at(-1));
    const parts = this.parts.filter((part) => !isEmpty(part));
    return { role: "assistant", parts, usage: this.usage, ...(this.stop ? { stop: this.stop } : {}) };
  }

  /** The message so far, marked as partial; undefined when nothing has arrived. */
  partial(): Message | undefined {
    const { role, parts } = this.message();
    return parts.length > 0 ? { role, parts, partial: true } : undefined;
  }

  #start(key: string, part: OpaquePart, metadata: Metadata): OpaquePart {
    this.parts.push(part);
    this.#open.set(key, part);
    this.#keep(part, metadata);
    return part;
  }

  #keep(part: Part | undefined, metadata: Metadata): void {
    if (!part || !metadata || !("opaque" in part || part.type !== "image")) return;
    const own = part as OpaquePart;
    for (const [vendor, facts] of Object.entries(metadata)) {
      const known = withoutNull(facts);
      if (!known) continue;
      const before = own.opaque?.[vendor];
      own.opaque = { ...own.opaque, [vendor]: { ...(isObject(before) ? before : {}), ...known } };
    }
  }

  #text(id: string, delta: string, metadata: Metadata): ModelEvent | undefined {
    const part = this.#open.get(`text ${id}`) ?? this.#start(`text ${id}`, { type: "text", text: "" }, undefined);
    this.#keep(part, metadata);
    if (part.type === "text") part.text += delta;
    return delta === "" ? undefined : { type: "text", text: delta };
  }

  #thinking(id: string, delta: string, metadata: Metadata): ModelEvent | undefined {
    const key = `thinking ${id}`;
    const part = this.#open.get(key) ?? this.#start(key, { type: "thinking", text: "", by: this.#by }, undefined);
    this.#keep(part, metadata);
    if (part.type === "thinking") part.text += delta;
    return delta === "" ? undefined : { type: "thinking", text: delta };
  }

  #call(id: string, tool: string, metadata: Metadata): CallPart {
    const part: CallPart = { type: "call", id, tool, input: {} };
    this.#start(`call ${id}`, part, metadata);
    this.#texts.set(part, "");
    return part;
  }

  #input(id: string, delta: string): ModelEvent | undefined {
    const part = this.#open.get(`call ${id}`);
    if (part?.type !== "call" || delta === "") return undefined;
    this.#texts.set(part, (this.#texts.get(part) ?? "") + delta);
    return { type: "call", id, tool: part.tool, text: delta };
  }

  /** The whole call at its end. Its text counts only when no deltas came (Google sends calls in one piece). */
  #called(whole: Extract<LanguageModelV3StreamPart, { type: "tool-call" }>): ModelEvent | undefined {
    const open = this.#open.get(`call ${whole.toolCallId}`);
    const part = open?.type === "call" ? open : this.#call(whole.toolCallId, whole.toolName, undefined);
    this.#keep(part, whole.providerMetadata);
    const received = this.#texts.get(part) ?? "";
    this.#open.delete(`call ${whole.toolCallId}`);
    if (received !== "" || whole.input === "{}" || whole.input === "") return undefined;
    this.#texts.set(part, whole.input);
    return { type: "call", id: part.id, tool: part.tool, text: whole.input };
  }

  #finish(part: Extract<LanguageModelV3StreamPart, { type: "finish" }>): void {
    this.#ended = true;
    this.usage = usageOf(part.usage);
    const { unified, raw } = part.finishReason;
    // A stream that ends early has no reason of the provider's own; the packages then say "other" or "error".
    if (raw === undefined && unified !== "stop" && unified !== "tool-calls") return;
    const calls = this.parts.some((one) => one.type === "call");
    if (unified === "length") this.stop = "length";
    else if (unified === "content-filter") this.stop = "refusal";
    else this.stop = calls ? "tools" : "end";
  }
}

/** Sets `raw` unless the text is arguments (lib/json.ts); no text at all is a call without arguments, unless it was cut off. */
function closeCall(call: CallPart, text: string, cut: boolean): void {
  const value = text === "" && !cut ? {} : parseArguments(text);
  if (value) {
    call.input = value;
    delete call.raw;
  } else call.raw = text;
}

function isEmpty(part: Part): boolean {
  return (part.type === "text" || part.type === "thinking") && part.text === "" && part.opaque === undefined;
}

function withoutNull(facts: unknown): JsonObject | undefined {
  if (!isObject(facts)) return undefined;
  const kept = Object.entries(facts).filter(([, value]) => value !== null && value !== undefined);
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

function usageOf(usage: LanguageModelV3Usage): Usage {
  const { inputTokens, outputTokens } = usage;
  const cacheRead = count(inputTokens.cacheRead);
  const cacheWrite = count(inputTokens.cacheWrite);
  const input = inputTokens.noCache ?? (inputTokens.total ?? 0) - cacheRead - cacheWrite;
  return { input: count(input), output: count(outputTokens.total), cacheRead, cacheWrite };
}

/** A believable number of tokens, or 0: some servers report nothing, negative numbers or nonsense. */
function count(tokens: number | undefined): number {
  if (tokens === undefined || !Number.isFinite(tokens) || tokens < 0 || tokens > 1e9) return 0;
  return Math.floor(tokens);
}
