// Names in the whole project that are like the query, from every server that knows the project.

import * as z from "zod";
import { readPlan } from "../core/plan.js";
import { defineTool } from "../core/tool.js";
import { listPlaces } from "./parts/language.js";

const input = z.object({ query: z.string().min(1) });

export default defineTool<z.infer<typeof input>, string, "language">({
  name: "lsp_workspace_symbols",
  verb: "search",
  alias: null,
  family: "lsp",
  effects: ["read"],
  needs: ["language"],
  description: "Symbols of the project with a name like query.",
  input,
  prepare: ({ query }) => readPlan(`symbols like ${query}`, [], query),
  async apply({ data: query }, { language, signal }) {
    const { items, notes } = await language.workspaceSymbols(query, signal);
    const labelled = items.map((each) => {
      const container = each.container === "" ? "" : ` (${each.container})`;
      return { ...each, label: `${each.kind} ${each.name}${container}` };
    });
    const found =
      items.length === 0 ? `No symbol like ${JSON.stringify(query)} is known.` : listPlaces("symbol", labelled);
    return { status: "ok", text: [found, ...notes].join("\n") };
  },
});
