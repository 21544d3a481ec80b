// Searching file contents. Hits are grouped by file so that a path is paid for once.

import * as z from "zod";
import { readPlan } from "../core/plan.js";
import type { Place, SearchHit, TextQuery } from "../core/ports.js";
import { defineTool } from "../core/tool.js";
import { printable } from "../lib/paths.js";
import { count } from "./parts/change.js";
import { pathAs } from "./parts/hook-view.js";

const input = z.object({
  pattern: z.string(),
  path: z.string().optional(),
  glob: z.string().optional(),
  ignore_case: z.boolean().optional(),
});

export default defineTool<z.infer<typeof input>, { query: TextQuery; place: Place }, "search">({
  name: "search_text",
  verb: "search",
  alias: "Grep",
  family: "core",
  order: 8,
  effects: ["read"],
  needs: ["search"],
  description: "Searches file contents with a Rust regex.",
  input,
  prepare({ pattern, path = ".", glob, ignore_case }, { search }) {
    const place = search.locate(path);
    const query: TextQuery = { pattern, path: place.path, ignoreCase: ignore_case ?? false };
    if (glob !== undefined) query.glob = glob;
    return readPlan(`search ${pattern} in ${place.shown}`, [place], { query, place });
  },
  hook: pathAs("path"),
  async apply({ data: { query } }, { search, signal }) {
    const { hits, files, more, atLeast } = await search.text(query, signal);
    if (hits.length === 0) return { status: "ok", text: "(no matches)" };
    const rest =
      more === 0
        ? ""
        : `\n(${atLeast ? "at least " : ""}${count(more, "more match")} not shown; narrow it with path or glob)`.replace(
            "matchs",
            "matches",
          );
    return { status: "ok", text: grouped(hits) + rest, data: { files, matches: hits.length + more } };
  },
});

function grouped(hits: readonly SearchHit[]): string {
  const out: string[] = [];
  let path = "";
  for (const hit of hits) {
    if (hit.path !== path) out.push(printable(hit.path));
    path = hit.path;
    out.push(`${hit.line}:${hit.text}`);
  }
  return out.join("\n");
}
