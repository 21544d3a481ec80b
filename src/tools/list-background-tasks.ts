// The tasks of this session, newest first, one line each.

import * as z from "zod";
import { readPlan } from "../core/plan.js";
import { taskStates } from "../core/task.js";
import { defineTool } from "../core/tool.js";
import { taskData, taskLine } from "./parts/tasks.js";

const input = z.object({
  state: z.enum(taskStates).optional(),
  all: z.boolean().optional().describe("Also those of other sessions."),
});

const most = 50;

export default defineTool<z.infer<typeof input>, z.infer<typeof input>, "tasks">({
  name: "list_background_tasks",
  verb: "watch",
  alias: null,
  family: "background",
  order: 22,
  effects: ["read"],
  needs: ["tasks"],
  polls: true,
  description: "Lists your background tasks with task_id, state and exit code, newest first.",
  input,
  prepare: (asked) => readPlan("list the tasks", [], asked),
  apply({ data: { state, all = false } }, { tasks }) {
    const found = tasks.list({ own: !all, ...(state === undefined ? {} : { states: [state] }) });
    const shown = found.slice(0, most);
    const lines = shown.map(taskLine);
    if (found.length > most) lines.push(`… and ${found.length - most} older ones.`);
    return {
      status: "ok",
      text: lines.join("\n") || "There are no such tasks.",
      view: { type: "list", items: lines },
      data: { tasks: shown.map(taskData), total: found.length },
    };
  },
});
