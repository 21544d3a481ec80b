// Lists tasks of agents, each in a line; what one of them answered is for waiting to say.

import * as z from "zod";
import { readPlan } from "../core/plan.js";
import { type TaskFilter, taskStates } from "../core/task.js";
import { defineTool } from "../core/tool.js";
import { tasksResult } from "./parts/agent-tasks.js";

const input = z.object({
  states: z.array(z.enum(taskStates)).optional(),
  label: z.string().optional(),
  limit: z.int().min(1).max(200).optional().describe("Default 50, newest first."),
});

export default defineTool<z.infer<typeof input>, { filter: TaskFilter; limit: number }, "tasks">({
  name: "list_agent_tasks",
  verb: "watch",
  alias: null,
  family: "agents",
  order: 32,
  effects: ["read"],
  needs: ["tasks"],
  polls: true,
  description: "Lists the tasks given to agents, newest first, with their states.",
  input,
  prepare({ states, label, limit = 50 }) {
    const filter: TaskFilter = {
      kind: "agent",
      ...(states ? { states } : {}),
      ...(label === undefined ? {} : { label }),
    };
    return readPlan("list the tasks of agents", [], { filter, limit });
  },
  apply({ data: { filter, limit } }, { tasks }) {
    const all = tasks.list(filter);
    if (all.length === 0) return { status: "ok", text: "There are no such tasks.", data: { tasks: [] } };
    const result = tasksResult(all.slice(0, limit), { brief: true });
    const left = all.length - limit;
    return left > 0 ? { ...result, text: `${result.text}\n${left} older ones are not listed.` } : result;
  },
});
