// The figures of a session as HTML: what it is, what it cost, what the cache missed, and the dearest results.

import type { SessionCost } from "../cost.js";
import { text } from "./html-text.js";
import type { Story } from "./story.js";
import { count, money, percent, when } from "./words.js";

/** So many results are listed; the others cost less. */
const listed = 20;

export function figures({ id, root, created, models, cost }: Story): string {
  const { usage } = cost;
  const rows = [
    ["Session", id],
    ["Begun", created],
    ["Project", root],
    ["Models", models.join(", ")],
    ["Cost", `${money(cost.usd)} for ${cost.requests} requests`],
    ["Cache", `${count(usage.cacheRead)} tokens read (${percent(cost.hitRate)}), ${count(usage.cacheWrite)} written`],
    ["Other tokens", `${count(usage.input)} uncached, ${count(usage.output)} out`],
  ];
  return `<dl>\n${rows.map(([name = "", value = ""]) => `<dt>${text(name)}</dt><dd>${text(value)}</dd>`).join("\n")}\n</dl>`;
}

export function costTables({ misses, results }: SessionCost): string {
  const missed = misses.map(({ time, section, cause, tokens, usd }) => [
    when(time),
    section === null ? cause : `${section}: ${cause}`,
    tokens === null ? "unknown" : count(tokens),
    money(usd),
  ]);
  const dearest = results
    .slice(0, listed)
    .map(({ entry, tool, tokens, requests, usd }) => [tool, entry, count(tokens), String(requests), money(usd)]);
  return [
    table("Cache misses", ["When", "Cause", "Tokens", "Cost"], missed),
    table("Dearest tool results", ["Tool", "Entry", "Tokens (estimated)", "Requests that carried it", "Cost"], dearest),
  ].join("\n");
}

function table(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const cells = (row: readonly string[]) => row.map((cell) => `<td>${text(cell)}</td>`).join("");
  return `<section>
<h2>${title}</h2>
<table>
<thead><tr>${head.map((cell) => `<th scope="col">${cell}</th>`).join("")}</tr></thead>
<tbody>
${rows.map((row) => `<tr>${cells(row)}</tr>`).join("\n")}
</tbody>
</table>
</section>`;
}
