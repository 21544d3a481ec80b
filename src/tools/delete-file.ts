// Deleting one regular file, or a link without what it leads to. Its bytes are handed out before it goes, so that the deletion can be undone.

import * as z from "zod";
import type { FilePlan } from "../core/ports.js";
import { defineTool } from "../core/tool.js";
import { afterChange, writePlan } from "./parts/change.js";
import { changeView } from "./parts/hook-view.js";

const input = z.object({ path: z.string() });

export default defineTool<z.infer<typeof input>, FilePlan, "files">({
  name: "delete_file",
  verb: "delete",
  alias: "Write",
  family: "core",
  order: 5,
  effects: ["write"],
  needs: ["files"],
  description: "Deletes a file.",
  input,
  async prepare({ path }, { files }) {
    const plan = await files.planDelete(path);
    const [note] = plan.stats.notes;
    return writePlan(plan, `delete ${plan.shown}${note === undefined ? "" : ` (${note})`}`);
  },
  hook: changeView(() => ({ content: null })),
  async apply({ data: plan }, { files }) {
    const change = await files.commit(plan);
    return afterChange(plan, change, `deleted ${plan.shown}`, "deleted");
  },
});
