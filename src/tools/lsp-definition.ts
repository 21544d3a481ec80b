// Where a name is defined, as its language server knows it: through imports, aliases and re-exports.

import * as z from "zod";
import type { Spot } from "../core/lsp.js";
import { defineTool } from "../core/tool.js";
import { pathAs } from "./parts/hook-view.js";
import { listPlaces, spotPlan, spotText, targetFields } from "./parts/language.js";

const input = z.object(targetFields);

export default defineTool<z.infer<typeof input>, Spot, "language">({
  name: "lsp_definition",
  verb: "search",
  alias: null,
  family: "lsp",
  effects: ["read"],
  needs: ["language"],
  description: "Where a name is defined. Place: path with line and column or symbol, or symbol alone.",
  input,
  hook: pathAs("file_path"),
  prepare: (input, context) => spotPlan("definition of", input, context),
  async apply({ data: spot }, { language, signal }) {
    const found = await language.definition(spot, signal);
    if (found.length === 0) return { status: "ok", text: `No definition is known for ${spotText(spot)}.` };
    return { status: "ok", text: listPlaces("definition", found) };
  },
});
