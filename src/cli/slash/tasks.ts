// /tasks: the tasks of this session's project and all others; with an id all that is known of one, `cancel <id>` ends it,
// and `resume <id>` lets an agent of this session go on that was interrupted.

import { tasksView, taskView } from "../views/tasks.js";
import { defineSlash } from "./slash.js";

export default defineSlash({
  name: "tasks",
  usage: "[<id> | cancel <id> | resume <id>]",
  doc: "Work beside conversations; with an id what is known of one, cancel ends it, resume lets an agent go on that was interrupted",
  anytime: true,

  async run({ harness, session, words: [first, second] }) {
    if (first === undefined) return { text: tasksView(await harness.tasks.list()) };
    if (first === "cancel" && second !== undefined) return { text: taskView(await harness.tasks.cancel(second)) };
    if (first === "resume" && second !== undefined) {
      const { id } = await harness.tasks.show(second);
      await session.resumeTasks([id]);
      return { text: taskView(await harness.tasks.show(id)) };
    }
    return { text: taskView(await harness.tasks.show(first)) };
  },
});
