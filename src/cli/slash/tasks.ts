// /tasks: the tasks of this session's project and all others; with an id all that is known of one, `cancel <id>` ends it.

import { tasksView, taskView } from "../views/tasks.js";
import { defineSlash } from "./slash.js";

export default defineSlash({
  name: "tasks",
  usage: "[<id> | cancel <id>]",
  doc: "Work beside conversations; with an id what is known of one, cancel <id> ends it",

  async run({ harness, words: [first, second] }) {
    if (first === undefined) return { text: tasksView(await harness.tasks.list()) };
    if (first === "cancel" && second !== undefined) return { text: taskView(await harness.tasks.cancel(second)) };
    return { text: taskView(await harness.tasks.show(first)) };
  },
});
