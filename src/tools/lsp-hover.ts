// Type and documentation of a name, as an editor shows them under the pointer.

import * as z from "zod";
import type { Spot } from "../core/lsp.js";
import { defineTool } from "../core/tool.js";
import { pathAs } from "./parts/hook-view.js";
import { spotPlan, spotText, targetFields } from "./parts/language.js";

const input = z.object(targetFields);
const longest = 6_000;

export default defineTool<z.infer<typeof input>, Spot, "language">({
  name: "lsp_hover",
  verb: "search",
  alias: null,
  family: "lsp",
  effects: ["read"],
  needs: ["language"],
  description: "Type and documentation of a name. Place: path with line and column or symbol, or symbol alone.",
  input,
  hook: pathAs("file_path"),
  prepare: (input, context) => spotPlan("type of", input, context),
  async apply({ data: spot }, { language, signal }) {
    const said = await language.hover(spot, signal);
    if (said === null) return { status: "ok", text: `Nothing is known about ${spotText(spot)}.` };
    const text = said.length > longest ? `${said.slice(0, longest)}…` : said;
    return { status: "ok", text: `${spotText(spot)}\n${text}` };
  },
});
