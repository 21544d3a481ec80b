// What a session has cost, for a person and for a script.

import type { Json } from "../../core/json.js";
import { resultUsage } from "../../core/result.js";
import type { SessionCost } from "../../index.js";
import { grouped } from "../../lib/grouped.js";

/** So many results are listed; the others are counted. */
const listed = 20;

export function costView(cost: SessionCost, { explain }: { explain: boolean }): string {
  const { usage, misses, results, requests, unpriced, agents } = cost;
  const rate = cost.hitRate === null ? "nothing was sent" : `${(cost.hitRate * 100).toFixed(1)} % of what was sent`;
  const why = unpriced.length > 0 ? ` (models.prices knows nothing of ${unpriced.join(", ")})` : "";
  const lines = [
    `cost        ${money(cost.usd)}${why}, ${requests} requests`,
    `cache       ${count(usage.cacheRead)} tokens read: ${rate}`,
    `            ${count(usage.cacheWrite)} written, ${count(usage.input)} uncached, ${count(usage.output)} received`,
    ...(agents ? [agentsLine(agents)] : []),
    misses.length === 0 ? "misses      none" : "misses",
    ...misses.map(
      ({ time, section, cause, tokens, usd }) =>
        `  ${moment(time)}  ${section === null ? cause : `${section}: ${cause}`}, ${tokens === null ? "?" : count(tokens)} tokens, ${money(usd)}`,
    ),
  ];
  return [...lines, ...(explain ? resultLines(results) : [])].join("\n");
}

function agentsLine({ sessions, requests, usage, usd }: NonNullable<SessionCost["agents"]>): string {
  const tokens = `${count(usage.cacheRead)} tokens read, ${count(usage.cacheWrite + usage.input)} uncached`;
  const many = sessions === 1 ? "1 agent" : `${sessions} agents`;
  return `agents      ${money(usd)} of that, ${many}, ${requests} requests: ${tokens}, ${count(usage.output)} received`;
}

function resultLines(results: SessionCost["results"]): string[] {
  if (results.length === 0) return ["results     none"];
  const rows = results.slice(0, listed).map(({ entry, tool, tokens, requests, read, usd }) => {
    const cached = `${count(read)} of ${count(tokens * requests)} from the cache`;
    return `  ${money(usd).padStart(13)}  ${tool} (${entry.slice(0, 8)}): about ${count(tokens)} tokens in ${requests} requests, ${cached}`;
  });
  const more = results.length - rows.length;
  return ["results, estimated", ...rows, ...(more > 0 ? [`  ${more} more, each cheaper`] : [])];
}

export function costJson(session: string, { usage, hitRate, usd, unpriced, agents, ...cost }: SessionCost): Json {
  return {
    session_id: session,
    requests: cost.requests,
    usage: { ...resultUsage(usage) },
    hit_rate: hitRate,
    total_cost_usd: usd,
    unpriced_models: unpriced,
    misses: cost.misses.map((miss) => ({ ...miss, time: new Date(miss.time).toISOString() })),
    results: cost.results.map(({ read, written, uncached, ...result }) => ({
      ...result,
      cache_read_tokens: Math.round(read),
      cache_creation_tokens: Math.round(written),
      uncached_tokens: Math.round(uncached),
    })),
    ...(agents ? { agents: agentsJson(agents) } : {}),
  };
}

function agentsJson({ sessions, requests, usage, usd, unpriced }: NonNullable<SessionCost["agents"]>): Json {
  return { sessions, requests, usage: { ...resultUsage(usage) }, total_cost_usd: usd, unpriced_models: unpriced };
}

function money(usd: number | null): string {
  return usd === null ? "price unknown" : `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`;
}

function count(tokens: number): string {
  return grouped(Math.round(tokens));
}

function moment(time: number): string {
  return new Date(time).toISOString().slice(0, 16).replace("T", " ");
}
