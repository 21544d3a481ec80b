// Creating a file. It never overwrites: the door refuses an existing file with other content, and there is no flag.
// Identical content is a success that writes nothing, so that a repeated call does no harm.

import * as z from "zod";
import { Refusal } from "../core/errors.js";
import type { FilePlan } from "../core/ports.js";
import { defineTool } from "../core/tool.js";
import { afterChange, size, writePlan } from "./parts/change.js";

const input = z.object({ path: z.string(), content: z.string() });

export default defineTool<z.infer<typeof input>, FilePlan, "files">({
  name: "write_file",
  verb: "create",
  alias: "Write",
  family: "core",
  order: 2,
  effects: ["write"],
  needs: ["files"],
  salvage: "content",
  description:
    "Creates a file with its whole content; never leave parts out behind a comment. Existing files are not overwritten: edit them or append, or to rewrite one delete it first. Write a long file in pieces: create it with the first, append the rest.",
  input,
  async prepare({ path, content }, { files }) {
    const plan = await files.planCreate(path, content);
    return writePlan(plan, `create ${plan.shown} (${size(plan)})`);
  },
  wanted({ data: { before, after, shown } }) {
    // Only an empty file lets an empty text pass.
    if (before !== null && before === after)
      throw new Refusal("exists", `${shown} exists already and is empty. Nothing was changed.`, ["append", "rewrite"]);
    return { what: `the whole content of ${shown}` };
  },
  async apply({ data: plan }, { files }) {
    const change = await files.commit(plan);
    const same = plan.before !== null;
    const text = same
      ? `already_exists_same_content: ${plan.shown} (${size(plan)}), nothing written`
      : `created ${plan.shown} (${size(plan)})`;
    return afterChange(plan, change, text, same ? "already_exists_same_content" : "created");
  },
});
