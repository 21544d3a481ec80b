// Renaming a thing everywhere it is used. What the server works out is shown as a diff over all files and goes through the
// door of the files, all or none.

import * as z from "zod";
import { defineTool } from "../core/tool.js";
import { applyChange, type Change, changePlan, spotText, targetFields, targetOf } from "./parts/language.js";

const input = z.object({ ...targetFields, new_name: z.string().min(1) });

interface Renaming {
  change: Change;
  /** What the server may have left out. */
  notes: readonly string[];
}

export default defineTool<z.infer<typeof input>, Renaming, "language" | "files">({
  name: "lsp_rename",
  verb: "edit",
  alias: "Edit",
  family: "lsp",
  effects: ["write"],
  needs: ["language", "files"],
  description: "Renames a symbol in all files. Place: path with line and column or symbol, or symbol alone.",
  input,
  async prepare({ new_name, ...target }, { language, files, signal }) {
    const spot = await language.find(targetOf(target), signal);
    const { items, notes } = await language.rename(spot, new_name, signal);
    const plan = await changePlan(`rename ${spotText(spot)} to ${new_name}`, items, files);
    return { ...plan, data: { change: plan.data, notes } };
  },
  async apply(plan, { files }) {
    const { change, notes } = plan.data;
    const result = await applyChange({ ...plan, data: change }, "renamed", files);
    return { ...result, text: [result.text, ...notes].join("\n") };
  },
});
