// Ends tasks of agents. What has ended already stays as it is. Whoever may start tasks may end them, and nobody is asked:
// nothing of the project changes.

import * as z from "zod";
import { readPlan } from "../core/plan.js";
import { defineTool } from "../core/tool.js";
import { tasksResult } from "./parts/agent-tasks.js";

const input = z.object({ task_ids: z.array(z.string()).min(1).max(100) });

export default defineTool<z.infer<typeof input>, string[], "tasks">({
  name: "cancel_agent_tasks",
  verb: "cancel",
  alias: null,
  family: "agents",
  order: 34,
  effects: ["spawn"],
  mayRead: true,
  needs: ["tasks"],
  description: "Ends tasks given to agents, queued or running; what has ended is unchanged.",
  input,
  prepare({ task_ids: ids }, { tasks }) {
    const found = ids.map((id) => tasks.own(id).id);
    return readPlan(`end ${found.length === 1 ? `task ${found[0]}` : `${found.length} tasks`}`, [], found);
  },
  async apply({ data: ids }, { tasks }) {
    return tasksResult(await tasks.cancel(ids), { brief: true });
  },
});
