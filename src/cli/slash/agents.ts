// /agents: the agents that tasks may be given to, and those at work for this session; /tasks says more of one that works.

import type { AgentSummary } from "../../index.js";
import { tasksView } from "../views/tasks.js";
import { defineSlash } from "./slash.js";

export default defineSlash({
  name: "agents",
  usage: "",
  doc: "The agents that tasks may be given to, and those that are at work",
  anytime: true,

  async run({ harness, session }) {
    const agents = await harness.agents();
    const tasks = await harness.tasks.list();
    const busy = tasks.filter(
      ({ kind, state, owner }) => kind === "agent" && state === "running" && owner.session === session.id,
    );
    const working = busy.length > 0 ? ["At work:", tasksView(busy), ""] : [];
    return { text: [...working, ...agents.map(agentLine)].join("\n") };
  },
});

function agentLine({ name, description, source }: AgentSummary): string {
  return `${name.padEnd(14)} ${description.split("\n")[0]} (${source})`;
}
