// What a language server offers to do at a place: fixes, imports, refactorings. Without a title it lists them; with one the
// edit behind it is shown as a diff and goes through the door of the files, all or none.

import * as z from "zod";
import type { CodeAction } from "../core/lsp.js";
import { type Plan, readPlan } from "../core/plan.js";
import { defineTool, type ToolResult } from "../core/tool.js";
import { applyChange, type Change, changePlan, spotText, targetFields, targetOf } from "./parts/language.js";

const input = z.object({
  ...targetFields,
  end_line: z.int().min(1).optional(),
  end_column: z.int().min(1).optional(),
  title: z.string().describe("of the action to apply; without it they are listed").optional(),
});

type Data = { actions: readonly CodeAction[]; where: string } | { change: Change; title: string };

export default defineTool<z.infer<typeof input>, Data, "language" | "files">({
  name: "lsp_code_action",
  verb: "edit",
  alias: "Edit",
  family: "lsp",
  effects: ["write"],
  mayRead: true,
  needs: ["language", "files"],
  description: "Lists or applies what the language server offers at a place: fixes, imports, refactorings.",
  input,
  async prepare({ title, end_line, end_column, ...target }, { language, files, signal }): Promise<Plan<Data>> {
    const spot = await language.find(targetOf(target), signal);
    const line = end_line ?? spot.line;
    const until = { line, column: end_column ?? (line === spot.line ? spot.column : 1) };
    if (title === undefined) {
      const actions = await language.actions(spot, until, signal);
      const where = spotText(spot);
      return readPlan(`code actions at ${where}`, [spot], { actions, where });
    }
    const revisions = await language.revisions(spot, until, title, signal);
    const plan = await changePlan(title, revisions, files);
    return { ...plan, data: { change: plan.data, title } };
  },
  apply(plan, { files }): Promise<ToolResult> | ToolResult {
    const { data } = plan;
    if ("change" in data) return applyChange({ ...plan, data: data.change }, `done: ${data.title}`, files);
    if (data.actions.length === 0) return { status: "ok", text: `Nothing is offered at ${data.where}.` };
    const lines = data.actions.map(({ title, kind, disabled }) => {
      const state = disabled === "" ? "" : ` (not here: ${disabled})`;
      return `- ${title}${kind === "" ? "" : ` [${kind}]`}${state}`;
    });
    return { status: "ok", text: [`Code actions at ${data.where}:`, ...lines].join("\n") };
  },
});
