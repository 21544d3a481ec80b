// Replacing exact text in a file the model has seen. One replacement, or several that apply all or none.
// The reply is the diff as it landed, bounded, because that is the proof and the context of the next edit.

import * as z from "zod";
import { Refusal } from "../core/errors.js";
import type { Json } from "../core/json.js";
import type { FilePlan, TextEdit } from "../core/ports.js";
import { defineTool } from "../core/tool.js";
import { isObject } from "../lib/json.js";
import { afterChange, writePlan } from "./parts/change.js";
import { changeView } from "./parts/hook-view.js";

const maxDiffLines = 80;
const view = changeView();

const one = { old_string: z.string(), new_string: z.string(), replace_all: z.boolean().optional() };
const input = z.object({
  path: z.string(),
  old_string: one.old_string.optional(),
  new_string: one.new_string.optional(),
  replace_all: one.replace_all,
  edits: z.array(z.object(one)).describe("instead of old_string: several, all or none").optional(),
});
type Input = z.infer<typeof input>;

export default defineTool<Input, FilePlan, "files">({
  name: "edit_file",
  verb: "edit",
  alias: "Edit",
  family: "core",
  order: 4,
  terms: { old: "old_string", all: "replace_all" },
  effects: ["write"],
  needs: ["files"],
  description:
    "Replaces exact text in a file you have read. old_string must occur once, so take in lines around it, or set replace_all. Copy it without line numbers.",
  input,
  async prepare(input, { files }) {
    const plan = await files.planEdit(input.path, editsOf(input));
    return writePlan(plan, `edit ${plan.shown} (+${plan.stats.linesAdded} -${plan.stats.linesRemoved})`);
  },
  hook: {
    ...view,
    // Whoever knows one replacement a call sees the texts of all of them.
    to: (input, plan) => ({ ...view.to(input, plan), ...joined(input["edits"]) }),
    from(rewritten, plan) {
      const { old_string, new_string, ...several } = rewritten;
      const all = joined(rewritten["edits"]);
      if (!all) return view.from(rewritten, plan);
      if (old_string === all.old_string && new_string === all.new_string) return view.from(several, plan);
      throw new Refusal(
        "input",
        "A hook rewrote old_string or new_string of a call with several edits; it has to rewrite edits.",
      );
    },
  },
  async apply({ data: plan }, { files }) {
    const change = await files.commit(plan);
    const times = plan.stats.replaced > 1 ? ` (${plan.stats.replaced} replacements)` : "";
    const diff = plan.diff === "" ? "" : `\n${bounded(plan.diff)}`;
    return afterChange(plan, change, `edited ${plan.shown}${times}${diff}`, "edited");
  },
});

function editsOf(input: Input): TextEdit[] {
  const { old_string, new_string, replace_all, edits = [] } = input;
  const single = old_string !== undefined || new_string !== undefined;
  if (single === edits.length > 0) {
    throw new Refusal(
      "input",
      `${input.path} was not changed: give either old_string and new_string, or edits with at least one item.`,
    );
  }
  if (!single) return edits.map((edit) => editOf(edit.old_string, edit.new_string, edit.replace_all));
  if (old_string === undefined || new_string === undefined) {
    const lacking = old_string === undefined ? "old_string" : "new_string";
    throw new Refusal("input", `${input.path} was not changed: ${lacking} is missing.`);
  }
  return [editOf(old_string, new_string, replace_all)];
}

function joined(edits: Json | undefined): { old_string: string; new_string: string } | null {
  if (!Array.isArray(edits) || edits.length === 0) return null;
  const all = (name: string) => edits.map((edit) => (isObject(edit) ? String(edit[name]) : "")).join("\n");
  return { old_string: all("old_string"), new_string: all("new_string") };
}

function editOf(oldText: string, newText: string, replaceAll = false): TextEdit {
  return { oldText, newText, replaceAll };
}

function bounded(diff: string): string {
  const lines = changedLines(diff);
  if (lines.length <= maxDiffLines) return lines.join("\n");
  return `${lines.slice(0, maxDiffLines).join("\n")}\n(${lines.length - maxDiffLines} more lines of diff)`;
}

/** The diff without the lines around it, which the model has: each block of changes under a header of its own. */
function changedLines(diff: string): string[] {
  const out: string[] = [];
  let block: string[] = [];
  let old = 0;
  let fresh = 0;
  const end = () => {
    const removed = block.filter((line) => line.startsWith("-")).length;
    const added = block.length - removed;
    if (block.length > 0) out.push(`@@ -${range(old - removed, removed)} +${range(fresh - added, added)} @@`, ...block);
    block = [];
  };
  for (const line of diff.split("\n")) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line);
    const isChange = line.startsWith("-") || line.startsWith("+");
    if (!isChange) end();
    if (hunk) [old, fresh] = [Number(hunk[1]), Number(hunk[2])];
    if (hunk) continue;
    if (isChange) block.push(line);
    if (!line.startsWith("+")) old++;
    if (!line.startsWith("-")) fresh++;
  }
  end();
  return out;
}

/** As diffs have it: one line without its count, and none named by the line before. */
function range(start: number, lines: number): string {
  if (lines === 1) return String(start);
  return `${lines === 0 ? start - 1 : start},${lines}`;
}
