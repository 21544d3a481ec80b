// Ending a task: what is queued never begins, what runs is ended with everything it started, what has ended stays as it is.
// Its effect is a read: it takes back what this session was allowed to start, and changes nothing of the project.

import * as z from "zod";
import { readPlan } from "../core/plan.js";
import { isSettled } from "../core/task.js";
import { defineTool } from "../core/tool.js";
import { taskData, taskLine, taskView } from "./parts/tasks.js";

const input = z.object({ task_id: z.string() });

export default defineTool<z.infer<typeof input>, { id: string; was: string }, "tasks">({
  name: "cancel_background_task",
  verb: "cancel",
  alias: null,
  family: "background",
  order: 25,
  effects: ["read"],
  needs: ["tasks"],
  description: "Ends a background task of yours and everything it started; what it printed is kept.",
  input,
  prepare({ task_id: id }, { tasks }) {
    const { title, state } = tasks.own(id);
    return readPlan(`end task ${id} (${title})`, [], { id, was: state });
  },
  async apply({ data: { id } }, { tasks }) {
    const before = tasks.find(id);
    const [record = before] = await tasks.cancel([id]);
    const unchanged = isSettled(before.state) ? "It had ended before. " : "";
    return {
      status: isSettled(record.state) ? "ok" : "error",
      text: `${unchanged}${taskLine(record)}`,
      view: taskView(record),
      data: taskData(record),
    };
  },
});
