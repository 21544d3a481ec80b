// Waits for tasks of agents and says what they answered. When the time is up it says how they are; they go on, also when the
// waiting itself is cancelled.

import * as z from "zod";
import { readPlan } from "../core/plan.js";
import { isSettled } from "../core/task.js";
import { defineTool } from "../core/tool.js";
import { tasksResult } from "./parts/agent-tasks.js";

const input = z.object({
  task_ids: z.array(z.string()).min(1).max(100),
  timeout_seconds: z.number().min(0).optional().describe("Without it: until all have ended."),
});

export default defineTool<z.infer<typeof input>, { ids: string[]; timeoutMs: number | undefined }, "tasks">({
  name: "wait_agent_tasks",
  verb: "watch",
  alias: null,
  family: "agents",
  order: 33,
  effects: ["read"],
  needs: ["tasks"],
  polls: true,
  description: "Waits until tasks given to agents have ended, and returns what they answered.",
  input,
  prepare({ task_ids: ids, timeout_seconds: seconds }, { tasks }) {
    for (const id of ids) tasks.find(id);
    const timeoutMs = seconds === undefined ? undefined : seconds * 1_000;
    return readPlan(`wait for ${ids.length === 1 ? `task ${ids[0]}` : `${ids.length} tasks`}`, [], { ids, timeoutMs });
  },
  async apply({ data: { ids, timeoutMs } }, { tasks, signal }) {
    const records = await tasks.wait(ids, { signal, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
    const open = records.some(({ state }) => !isSettled(state));
    const result = tasksResult(
      records,
      open ? { now: signal.aborted ? "they go on" : "timeout_seconds is over, they go on" } : {},
    );
    return { ...result, ...(signal.aborted ? { status: "cancelled" as const } : {}) };
  },
});
