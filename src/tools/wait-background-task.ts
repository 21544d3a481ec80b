// Waiting for one task. When the time is up, or the waiting is cancelled, the task goes on.

import * as z from "zod";
import { readPlan } from "../core/plan.js";
import { isSettled, type TaskRecord } from "../core/task.js";
import { defineTool } from "../core/tool.js";
import { taskData, taskLine, taskView } from "./parts/tasks.js";

const defaultSeconds = 60;

const input = z.object({
  task_id: z.string(),
  timeout_seconds: z.number().min(0).max(3_600).optional(),
});

export default defineTool<z.infer<typeof input>, { id: string; seconds: number }, "tasks">({
  name: "wait_background_task",
  verb: "watch",
  alias: null,
  family: "background",
  order: 23,
  effects: ["read"],
  needs: ["tasks"],
  polls: true,
  description: `Waits until a background task has ended, at most timeout_seconds (default ${defaultSeconds}), and says how. The task goes on if the time is up.`,
  input,
  prepare({ task_id: id, timeout_seconds: seconds = defaultSeconds }, { tasks }) {
    const { title } = tasks.find(id);
    return readPlan(`wait for task ${id} (${title})`, [], { id, seconds });
  },
  async apply({ data: { id, seconds } }, { tasks, signal }) {
    const [record] = await tasks.wait([id], { timeoutMs: seconds * 1_000, signal });
    if (!record) throw new Error("a task was waited for and is not there");
    return {
      status: signal.aborted ? "cancelled" : "ok",
      text: [taskLine(record), ...rest(record, seconds)].join("\n"),
      view: taskView(record),
      data: { ...taskData(record), result: record.result ?? null },
    };
  },
});

function rest({ state, result = "" }: TaskRecord, seconds: number): string[] {
  if (!isSettled(state)) return [`It goes on: ${seconds} s were up. Wait again, longer with timeout_seconds.`];
  return result === "" ? [] : [result];
}
