// announce_work: tells the agents at work in the same conversation what they may go on from: a file, an endpoint, an export, or what blocks.
// A tool of its own, since a claim is about one's own files and its text would say two things. It changes nothing, so no
// profile and no list of tools takes it away.

import * as z from "zod";
import { readPlan } from "../core/plan.js";
import type { Announcement } from "../core/task.js";
import { defineTool } from "../core/tool.js";

const input = z.object({
  kind: z.enum(["file_created", "endpoint_ready", "export_ready", "blocked"]),
  text: z.string().min(1).max(300),
});

export default defineTool<z.infer<typeof input>, Announcement, "tasks">({
  name: "announce_work",
  verb: "announce",
  alias: null,
  family: "agents",
  order: 35,
  effects: ["read"],
  needs: ["tasks"],
  description:
    "Tells the other agents of this work, those that begin later too, what you have made or what you wait for.",
  input,
  prepare: (announcement) => readPlan(`announce ${announcement.kind}: ${announcement.text}`, [], announcement),
  apply({ data: announcement }, { tasks }) {
    tasks.announce(announcement);
    return { status: "ok", text: "Announced." };
  },
});
