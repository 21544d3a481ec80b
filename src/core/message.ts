// A message of the conversation and its parts.
// Invariant: a message never changes once it is an entry; what goes to a provider is a pure function of entries.
// Provider-specific baggage (signatures, item ids) is carried in `opaque` and replayed verbatim, never interpreted.

import type { JsonObject } from "./json.js";

export interface TextPart {
  type: "text";
  text: string;
  opaque?: JsonObject;
}

/** Reasoning of the model. Replayed only to the provider and model named in `by`; others never see it. */
export interface ThinkingPart {
  type: "thinking";
  text: string;
  /** `provider/model` that produced (and perhaps signed) it. */
  by: string;
  opaque?: JsonObject;
}

export interface ImagePart {
  type: "image";
  mediaType: string;
  /** Of the file it is from. */
  name?: string;
  /** Size of the image itself. */
  bytes?: number;
  width?: number;
  height?: number;
  /** Base64. */
  data: string;
}

/** A call the model asks for. `raw` is set when its arguments were not one JSON object; such a call is never run. */
export interface CallPart {
  type: "call";
  id: string;
  tool: string;
  input: JsonObject;
  raw?: string;
  /** The reply was cut inside this call; of its text these whole lines were kept (agent/salvage.ts). */
  cut?: { lines: number; last: string };
  opaque?: JsonObject;
}

export interface ResultPart {
  type: "result";
  callId: string;
  tool: string;
  text: string;
  isError: boolean;
}

export type Part = TextPart | ThinkingPart | ImagePart | CallPart | ResultPart;

export type Role = "user" | "assistant" | "tool";

/** Who wrote a user message. `harness` marks reminders and notes; they are in the log like any other message. */
export type Origin = "user" | "harness" | "hook" | "task";

/** Why the model stopped. `length` = its output limit cut the message. */
export type Stop = "end" | "tools" | "length" | "refusal";

/** Tokens of one request. `input` excludes what was read from or written to the cache. */
export interface Usage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

export interface Message {
  role: Role;
  parts: Part[];
  origin?: Origin;
  usage?: Usage;
  stop?: Stop;
  /** The stream broke or was cut; what is here is all that arrived. */
  partial?: boolean;
  /** Of a result: the lines of a list that stays in sight until the next one; none: no list does. For people, and not sent. */
  pinned?: readonly string[];
}

export const noUsage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}

/** Share of the tokens sent that were read from the cache; null when nothing was sent. */
export function hitRate({ input, cacheRead, cacheWrite }: Usage): number | null {
  const sent = input + cacheRead + cacheWrite;
  return sent === 0 ? null : cacheRead / sent;
}

/** The visible text of a message: its text parts, joined. */
export function textOf(message: Message): string {
  return message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

export function callsOf(message: Message): CallPart[] {
  return message.parts.filter((part) => part.type === "call");
}
