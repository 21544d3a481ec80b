// Lists tasks of agents, each in a line; what one of them answered is for waiting to say.

import * as z from "zod";
import { readPlan } from "../core/plan.js";
import { type TaskFilter, taskStates } from "../core/task.js";
import { defineTool, type ToolResult } from "../core/tool.js";
import { tasksResult } from "./parts/agent-tasks.js";

const input = z.object({
  states: z.array(z.enum(taskStates)).optional(),
  label: z.string().optional(),
  focus: z.string().optional().describe("Only lines with this text."),
  limit: z.int().min(1).max(200).optional().describe("Default 50, newest first."),
});

interface Data {
  filter: TaskFilter;
  limit: number;
  focus: string;
}

export default defineTool<z.infer<typeof input>, Data, "tasks">({
  name: "list_agent_tasks",
  verb: "watch",
  alias: null,
  aka: ["check_context"],
  family: "agents",
  order: 32,
  effects: ["read"],
  needs: ["tasks"],
  polls: true,
  description:
    "Lists the tasks given to agents, newest first, with their states, what agents have announced, and the files they hold.",
  input,
  prepare({ states, label, focus = "", limit = 50 }) {
    const filter: TaskFilter = {
      kind: "agent",
      ...(states ? { states } : {}),
      ...(label === undefined ? {} : { label }),
    };
    return readPlan("list the tasks of agents", [], { filter, limit, focus: focus.toLowerCase() });
  },
  apply({ data: { filter, limit, focus } }, { tasks }) {
    const all = tasks.list(filter);
    const result = all.length === 0 ? none : tasksResult(all.slice(0, limit), { brief: true });
    const left = all.length - limit;
    const more = left > 0 ? [`${left} older ones are not listed.`] : [];
    const lines = [result.text, ...tasks.around(), ...more].join("\n").split("\n");
    const fitting = lines.filter((line) => line.toLowerCase().includes(focus));
    return { ...result, text: fitting.join("\n") || `Nothing here names ${JSON.stringify(focus)}.` };
  },
});

const none: ToolResult = { status: "ok", text: "There are no such tasks.", data: { tasks: [] } };
