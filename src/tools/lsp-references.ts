// Where a name is used, its declaration among them: uses of this very thing, not of others that are called alike.

import * as z from "zod";
import type { Spot } from "../core/lsp.js";
import { defineTool } from "../core/tool.js";
import { pathAs } from "./parts/hook-view.js";
import { listPlaces, spotPlan, spotText, targetFields } from "./parts/language.js";

const input = z.object(targetFields);

export default defineTool<z.infer<typeof input>, Spot, "language">({
  name: "lsp_references",
  verb: "search",
  alias: null,
  family: "lsp",
  effects: ["read"],
  needs: ["language"],
  description: "All uses of a name, and its declaration. Place: path with line and column or symbol, or symbol alone.",
  input,
  hook: pathAs("file_path"),
  prepare: (input, context) => spotPlan("references to", input, context),
  async apply({ data: spot }, { language, signal }) {
    const { items, notes } = await language.references(spot, signal);
    const ordered = [...items].sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
    const found =
      ordered.length === 0 ? `No references are known for ${spotText(spot)}.` : listPlaces("reference", ordered);
    return { status: "ok", text: [found, ...notes].join("\n") };
  },
});
