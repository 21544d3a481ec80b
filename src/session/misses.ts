// Why the provider's cache did not serve what it could have, request by request.
// Invariant: pure. A break that Cinch made or noticed is a note in the log with its cause (CONTRACT §6.3); what the log
// cannot explain is told apart by the clock alone: the cache had expired, or the provider did not use it.

import type { Entry } from "../core/entry.js";
import { costOf } from "../core/model.js";
import type { PricesOf, TurnCost } from "./cost.js";

export interface CacheMiss {
  /** The note, or the answer to the request that missed. */
  entry: string;
  time: number;
  /** Where the request stopped being the one before it; null when it did not. */
  section: string | null;
  /** Of a break: what the log says. Else `expired` (after a pause) or `provider`. */
  cause: string;
  /** Paid again, estimated; null = unknown. */
  tokens: number | null;
  usd: number | null;
}

/** The code of the notes that say why a request does not extend the one before. */
const breakNote = "cache.break";
/** Caches live for about five minutes unless a provider says otherwise. */
const lifetime = 5 * 60_000;
/** Providers cache in blocks; what is lost at the end of one is no miss. */
const slack = 1_024;

/** `above`: the entries that one hangs on, nearest first. */
export function missesOf(
  entries: readonly Entry[],
  turns: readonly TurnCost[],
  pricesOf: PricesOf,
  above: (entry: Entry) => readonly Entry[],
): CacheMiss[] {
  const misses = entries.filter(isBreak).map(breakOf);
  const explained = new Set(entries.filter(isBreak).map(({ parent }) => parent));
  const known = new Map(turns.map((turn) => [turn.entry, turn]));
  for (const entry of entries) {
    const turn = known.get(entry.id);
    if (!turn) continue;
    const path = above(entry);
    const before = path.findIndex(({ id }) => known.has(id));
    const previous = known.get(path[before]?.id ?? "");
    if (!previous || previous.model !== turn.model) continue;
    if (path.slice(0, before + 1).some(({ id }) => explained.has(id))) continue;
    const miss = missOf(previous, turn, pricesOf);
    if (miss) misses.push(miss);
  }
  return misses.sort((a, b) => a.time - b.time);
}

function isBreak(entry: Entry): entry is Entry<"note"> {
  return entry.type === "note" && entry.data.code === breakNote;
}

function breakOf({ id, time, data: note }: Entry<"note">): CacheMiss {
  const { section, cause, tokens, usd } = note.data ?? {};
  return {
    entry: id,
    time,
    section: typeof section === "string" ? section : null,
    cause: typeof cause === "string" ? cause : "unexplained",
    tokens: typeof tokens === "number" ? tokens : null,
    usd: typeof usd === "number" ? usd : null,
  };
}

function missOf(previous: TurnCost, turn: TurnCost, pricesOf: PricesOf): CacheMiss | null {
  const tokens = previous.usage.cacheRead + previous.usage.cacheWrite - turn.usage.cacheRead;
  if (tokens <= slack) return null;
  const prices = pricesOf(turn.model);
  const again = costOf({ input: 0, output: 0, cacheRead: 0, cacheWrite: tokens }, prices);
  const cached = costOf({ input: 0, output: 0, cacheRead: tokens, cacheWrite: 0 }, prices);
  return {
    entry: turn.entry,
    time: turn.time,
    section: null,
    cause: turn.time - previous.time > lifetime ? "expired" : "provider",
    tokens,
    usd: again === null || cached === null ? null : again - cached,
  };
}
