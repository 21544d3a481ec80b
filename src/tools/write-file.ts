// Creating a file. It never overwrites: the door refuses an existing file with other content, and there is no flag.
// Identical content is a success that writes nothing, so that a repeated call does no harm.

import * as z from "zod";
import { Refusal } from "../core/errors.js";
import type { FilePlan, Files } from "../core/ports.js";
import { defineTool } from "../core/tool.js";
import { afterChange, size, writePlan } from "./parts/change.js";
import { addedText, changeView } from "./parts/hook-view.js";

const input = z.object({
  path: z.string(),
  content: z.string().optional(),
  ref: z.string().describe("instead of content: what a refusal kept").optional(),
});

const view = changeView();

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
  async prepare({ path, content, ref }, { files }) {
    const { text, isCut } =
      ref === undefined ? { text: content, isCut: false } : fromRef(files, { path, content, ref });
    if (text === undefined) throw new Refusal("input", `${path} was not written: ${eitherOr}`);
    const plan = await files.planCreate(path, text, ...(isCut ? [true] : []));
    const planned = writePlan(plan, `${isRewrite(plan) ? "rewrite" : "create"} ${plan.shown} (${size(plan)})`);
    const { totalLines, tail } = plan.stats;
    return isCut ? { ...planned, cut: { lines: totalLines, last: tail.at(-1) ?? "" } } : planned;
  },
  wanted({ data: { before, after, shown, stats } }) {
    // The text was given by its ref.
    if (stats.totalBytes > 0) return null;
    // Only an empty file lets an empty text pass.
    if (before !== null && before === after)
      throw new Refusal("exists", `${shown} exists already and is empty. Nothing was changed.`, ["append", "rewrite"]);
    return { what: `the whole content of ${shown}` };
  },
  hook: {
    ...view,
    // What a ref stands for is shown as far as it is new.
    to: (input, plan) => ({
      ...view.to(input, plan),
      ...(input["ref"] === undefined ? {} : { content: addedText(plan.data) }),
    }),
    from({ ref, ...rewritten }, plan) {
      const same = ref !== undefined && rewritten["content"] === addedText(plan.data);
      return view.from(same ? { ref, file_path: rewritten["file_path"] } : rewritten, plan);
    },
  },
  async apply({ data: plan }, { files }) {
    const change = await files.commit(plan);
    const same = plan.before === plan.after;
    const did = isRewrite(plan) ? "rewrote" : "created";
    const text = same
      ? `already_exists_same_content: ${plan.shown} (${size(plan)}), nothing written`
      : `${did} ${plan.shown} (${size(plan)})`;
    return afterChange(plan, change, text, same ? "already_exists_same_content" : did);
  },
});

const eitherOr = "give content or ref, one of the two.";

/** What a refusal kept. A beginning may come with what follows it; anything else is a whole content. */
function fromRef(
  files: Files,
  { path, content = "", ref }: { path: string; content?: string | undefined; ref: string },
) {
  const kept = files.kept(ref, path);
  if (content !== "" && !kept?.isCut) throw new Refusal("input", `${path} was not written: ${eitherOr}`);
  if (kept) return { text: kept.text + content, isCut: kept.isCut && content === "" };
  const none = `Nothing is kept under ref ${JSON.stringify(ref)}. Nothing was changed. Send the content.`;
  throw new Refusal("input", none);
}

function isRewrite({ before, after }: FilePlan): boolean {
  return before !== null && before !== after;
}
