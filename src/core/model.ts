// The port to a language model. One request in, a stream of events out.
// Invariant: a stream ends in exactly one `done` or `fail` and never throws for the world's faults;
// an abort of the signal ends it with `fail{kind:"cancelled"}`.
// Not here: retries, budgets, prompts. They belong to agent/ and prompt/.

import type { JsonSchema } from "./json.js";
import type { Message, Stop, Usage } from "./message.js";

/** A tool as declared to a provider. Order of declarations is the order on the wire. */
export interface ToolDeclaration {
  name: string;
  description: string;
  input: JsonSchema;
}

/** Where a cache mark goes: on this part of this message of the request. */
export interface Mark {
  message: number;
  part: number;
}

export interface ModelRequest {
  tools: readonly ToolDeclaration[];
  /** Same bytes in every project for one model and one version; carries the first cache mark. */
  stable: string;
  /** Frozen for a segment: date, platform, cwd, mode, instruction files. */
  context: string;
  messages: readonly Message[];
  /** At most three; protocols without explicit marks ignore them. */
  marks: readonly Mark[];
  /** Tokens. */
  maxOutput: number;
}

export type FailKind = "auth" | "rate" | "overflow" | "network" | "refusal" | "request" | "cancelled";

export interface ModelFailure {
  type: "fail";
  kind: FailKind;
  /** One sentence for the user; never contains a key. */
  text: string;
  /** Milliseconds the provider asked us to wait. */
  retryAfter?: number;
  /** HTTP status, when there was one. */
  status?: number;
  /** What had arrived when the stream broke, if anything. Calls in it must not run. */
  partial?: Message;
}

export type ModelEvent =
  | { type: "text"; text: string }
  | { type: "thinking"; text: string }
  /** Arguments of a call arriving in pieces; `text` is raw JSON text. */
  | { type: "call"; id: string; tool: string; text: string }
  | { type: "done"; message: Message; usage: Usage; stop: Stop }
  | ModelFailure;

/** Money per million tokens, in US dollars, with the date it was looked up. An estimate, never a bill. */
export interface Prices {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
  date: string;
}

export interface ModelFacts {
  /** Context window, tokens. */
  window: number;
  /** Most tokens one reply can have. */
  maxOutput: number;
  /** Absent = unknown, and then no price is ever shown. */
  prices?: Prices;
  /** Goes on from the beginning of an answer that ends the request. */
  prefill?: true;
  /** Takes images beside text. */
  images?: true;
  /** One of its family's small ones, which go round in circles sooner. */
  small?: true;
}

export interface Model {
  /** `provider/model`, as given with `-m`. */
  readonly id: string;
  readonly facts: ModelFacts;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/** US dollars for `usage`, or null when the price is unknown. Missing cache prices count as the input price. */
export function costOf(usage: Usage, prices: Prices | undefined): number | null {
  if (!prices) return null;
  const perToken = (price: number, tokens: number) => (price * tokens) / 1e6;
  return (
    perToken(prices.input, usage.input) +
    perToken(prices.output, usage.output) +
    perToken(prices.cacheRead ?? prices.input, usage.cacheRead) +
    perToken(prices.cacheWrite ?? prices.input, usage.cacheWrite)
  );
}
