// update_plan: the list of steps that the model goes by, as a whole each time. Kept nowhere but in the conversation; front ends
// keep the newest one in sight.

import * as z from "zod";
import { readPlan, underWay } from "../core/plan.js";
import { defineTool } from "../core/tool.js";

const step = z.object({ text: z.string().min(1), state: z.enum(["open", "active", "done"]) });
const input = z.object({ steps: z.array(step).min(1).max(50) });

type Steps = z.infer<typeof input>["steps"];

const marks = { open: "[ ]", active: underWay, done: "[x]" } as const;

export default defineTool<z.infer<typeof input>, Steps>({
  name: "update_plan",
  verb: "plan",
  alias: null,
  family: "plan",
  effects: ["read"],
  needs: [],
  description:
    "Shows the user your steps and where you are; give all of them each time. For work of three steps or more.",
  input,
  prepare({ steps }) {
    const done = steps.filter(({ state }) => state === "done").length;
    const active = steps.find(({ state }) => state === "active");
    return readPlan(`plan: ${done} of ${steps.length} done${active ? `, now ${active.text}` : ""}`, [], steps);
  },
  apply({ data: steps }) {
    const items = steps.map(({ text, state }) => `${marks[state]} ${text}`);
    const over = steps.every(({ state }) => state === "done");
    return {
      status: "ok",
      text: items.join("\n"),
      view: over ? { type: "list", items: [], pinned: true } : { type: "list", items, pinned: true },
    };
  },
});
