// What a session has cost, from its entries alone: tokens, money, what the cache saved, why it did not, and what each
// tool result has cost over all the requests that carried it.
// Invariant: pure. Providers report tokens of whole requests; how they are spread over the parts of a request is an
// estimate (4 characters a token, in the order they are sent) and the parts never add up to more than was reported.
// Unknown prices stay unknown: a sum that lacks one is null.

import { conversationOf } from "../core/conversation.js";
import type { Entry } from "../core/entry.js";
import { imageTokens } from "../core/image.js";
import { addUsage, hitRate, noUsage, type Part, type ResultPart, type Usage } from "../core/message.js";
import { costOf, type Prices } from "../core/model.js";
import { type CacheMiss, missesOf } from "./misses.js";

/** Of a session alone, or (familyCost) with the agents that worked for it. */
export interface SessionCost {
  /** Answers with reported usage, on all branches and beside them. */
  requests: number;
  usage: Usage;
  /** Share of what was sent that came from the cache; null when nothing was sent. */
  hitRate: number | null;
  usd: number | null;
  /** Models that answered and have no known price. */
  unpriced: string[];
  turns: TurnCost[];
  misses: CacheMiss[];
  /** Dearest first; by tokens where prices are unknown. */
  results: ResultCost[];
  /** What of all this is that of agents, on whatever level; absent: there were none. */
  agents?: AgentsCost;
}

export interface AgentsCost extends Pick<SessionCost, "requests" | "usage" | "usd" | "unpriced"> {
  sessions: number;
}

/** One request and its answer. */
export interface TurnCost {
  /** The assistant message, or the note of a request beside the conversation. */
  entry: string;
  time: number;
  model: string;
  usage: Usage;
  usd: number | null;
}

export interface ResultCost {
  /** The message that holds it. */
  entry: string;
  call: string;
  tool: string;
  /** Estimated size. */
  tokens: number;
  /** Requests that carried it. */
  requests: number;
  /** Its tokens over all of them, by how they were paid. */
  read: number;
  written: number;
  uncached: number;
  usd: number | null;
}

export type PricesOf = (model: string) => Prices | undefined;

/** Characters of text for one token, roughly. */
const perToken = 4;

export function sessionCost(entries: readonly Entry[], pricesOf: PricesOf): SessionCost {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const results = new Map<Part, ResultCost>();
  const turns: TurnCost[] = [];
  for (const entry of entries) {
    const usage = usageOf(entry);
    if (!usage) continue;
    const path = ancestors(entry, byId);
    const model = path.find((each) => each.type === "model")?.data.id ?? "unknown";
    const prices = pricesOf(model);
    turns.push({ entry: entry.id, time: entry.time, model, usage, usd: costOf(usage, prices) });
    spread(carried(path), usage, prices, results);
  }
  const usage = turns.reduce((sum, turn) => addUsage(sum, turn.usage), noUsage);
  const unpriced = [...new Set(turns.filter((turn) => turn.usd === null).map((turn) => turn.model))];
  return {
    requests: turns.length,
    usage,
    hitRate: hitRate(usage),
    usd: total(turns.map((turn) => turn.usd)),
    unpriced,
    turns,
    misses: missesOf(entries, turns, pricesOf, (entry) => ancestors(entry, byId)),
    results: [...results.values()].sort(dearer),
  };
}

/** A session with the agents that worked for it. */
export function familyCost(own: SessionCost, agents: readonly SessionCost[]): SessionCost {
  if (agents.length === 0) return own;
  const all = [own, ...agents];
  const sums = sumOf(all);
  return {
    ...sums,
    hitRate: hitRate(sums.usage),
    turns: all.flatMap(({ turns }) => turns),
    misses: all.flatMap(({ misses }) => misses).sort((a, b) => a.time - b.time),
    results: all.flatMap(({ results }) => results).sort(dearer),
    agents: { sessions: agents.length, ...sumOf(agents) },
  };
}

function sumOf(all: readonly SessionCost[]): Omit<AgentsCost, "sessions"> {
  return {
    requests: all.reduce((sum, { requests }) => sum + requests, 0),
    usage: all.reduce((sum, { usage }) => addUsage(sum, usage), noUsage),
    usd: total(all.map(({ usd }) => usd)),
    unpriced: [...new Set(all.flatMap(({ unpriced }) => unpriced))],
  };
}

function dearer(a: ResultCost, b: ResultCost): number {
  return (b.usd ?? 0) - (a.usd ?? 0) || carriedTokens(b) - carriedTokens(a);
}

/** An answer's, or that of a request beside the conversation: a summary, the text of a file. A note tells of those. */
function usageOf(entry: Entry): Usage | undefined {
  if (entry.type === "message") return entry.data.role === "assistant" ? entry.data.usage : undefined;
  const usage = entry.type === "note" ? entry.data.data?.["usage"] : undefined;
  return isUsage(usage) ? usage : undefined;
}

function isUsage(value: unknown): value is Usage {
  if (typeof value !== "object" || value === null) return false;
  return Object.keys(noUsage).every((key) => typeof (value as Record<string, unknown>)[key] === "number");
}

function carriedTokens({ read, written, uncached }: ResultCost): number {
  return read + written + uncached;
}

/** To a billionth of a dollar: sums of prices have no exact binary form. */
function total(costs: readonly (number | null)[]): number | null {
  let sum = 0;
  for (const usd of costs) {
    if (usd === null) return null;
    sum += usd;
  }
  return Math.round(sum * 1e9) / 1e9;
}

/** What an entry hangs on, nearest first. */
function ancestors(entry: Entry, byId: ReadonlyMap<string, Entry>): Entry[] {
  const path: Entry[] = [];
  // A parent stands before its child in every log; anything else is damage and ends the walk.
  let at = entry;
  for (;;) {
    const parent = at.parent === null ? undefined : byId.get(at.parent);
    if (!parent || parent.seq >= at.seq) return path;
    path.push(parent);
    at = parent;
  }
}

interface Carried {
  part: Part;
  /** The message it is a part of. */
  entry: string;
}

/** What a request on this path (nearest first) held, oldest first. */
function carried(path: readonly Entry[]): Carried[] {
  const { compacted, verbatim } = conversationOf([...path].reverse());
  const said = compacted ? [compacted, ...verbatim] : verbatim;
  return said.flatMap(({ id, message }) => message.parts.map((part) => ({ part, entry: id })));
}

function sizeOf(part: Part): number {
  return Math.ceil(charsOf(part) / perToken);
}

function charsOf(part: Part): number {
  switch (part.type) {
    case "call":
      return part.tool.length + (part.raw ?? JSON.stringify(part.input)).length;
    case "image":
      return imageTokens * perToken;
    default:
      return part.text.length;
  }
}

/**
 * Adds one request to what its results have cost. The parts are laid behind each other as they are sent, after the
 * tools and the system text, whose size is what is left of the reported total; the cache covers the beginning.
 */
function spread(
  parts: readonly Carried[],
  usage: Usage,
  prices: Prices | undefined,
  results: Map<Part, ResultCost>,
): void {
  const sent = usage.input + usage.cacheRead + usage.cacheWrite;
  const estimated = parts.reduce((sum, { part }) => sum + sizeOf(part), 0);
  const scale = estimated > sent ? sent / estimated : 1;
  let at = Math.max(0, sent - estimated);
  for (const { part, entry } of parts) {
    const from = at;
    at += sizeOf(part) * scale;
    if (part.type !== "result") continue;
    const known = results.get(part) ?? emptyResult(part, entry);
    results.set(part, known);
    const read = overlap(from, at, 0, usage.cacheRead);
    const written = overlap(from, at, usage.cacheRead, usage.cacheRead + usage.cacheWrite);
    const uncached = at - from - read - written;
    const usd = costOf({ input: uncached, output: 0, cacheRead: read, cacheWrite: written }, prices);
    known.requests++;
    known.read += read;
    known.written += written;
    known.uncached += uncached;
    known.usd = known.usd === null || usd === null ? null : known.usd + usd;
  }
}

function emptyResult(part: ResultPart, entry: string): ResultCost {
  const { callId: call, tool } = part;
  return { entry, call, tool, tokens: sizeOf(part), requests: 0, read: 0, written: 0, uncached: 0, usd: 0 };
}

function overlap(from: number, to: number, low: number, high: number): number {
  return Math.max(0, Math.min(to, high) - Math.max(from, low));
}
