// Gives tasks to other agents, each in a conversation of its own. The plan says which agents and what they are asked; what they
// do there is decided about call by call, under the same rules.

import * as z from "zod";
import type { AgentTaskRequest, TaskPlan } from "../core/task.js";
import { defineTool } from "../core/tool.js";
import { sha256 } from "../lib/hash.js";
import { tasksResult } from "./parts/agent-tasks.js";

const taskMembers = {
  agent_name: z.string().min(1),
  prompt: z.string().min(1).describe("All it knows: it sees nothing of this conversation."),
  title: z.string().optional(),
  model_name: z.string().optional(),
  timeout_seconds: z.number().positive().optional(),
  max_turns: z.int().min(1).optional(),
  max_cost: z.number().positive().optional(),
  depends_on: z
    .array(z.union([z.string(), z.int()]))
    .optional()
    .describe("Ids of tasks, or places in this list from 0."),
  output_schema: z.looseObject({}).optional().describe("JSON Schema that its answer has to fit."),
  isolation: z.enum(["worktree"]).optional().describe("Work in a copy of the repository; the result is a patch."),
  labels: z.array(z.string()).optional(),
  metadata: z.looseObject({}).optional(),
};

/** A limit that is misspelt is no limit, so what nobody knows is refused, and what there is is named. */
function onlyThese(members: object): { error: z.core.$ZodErrorMap } {
  const known = Object.keys(members).join(", ");
  return {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? `there is no ${(issue.keys as string[]).join(", ")}, only ${known}`
        : undefined,
  };
}

const task = z.strictObject(taskMembers, onlyThese(taskMembers));

const inputMembers = {
  tasks: z.array(task).min(1).max(100),
  max_parallel: z.number().optional().describe("1 to 32, default 4"),
  wait: z.boolean().optional().describe("Default true: answer when all have ended."),
};

const input = z.strictObject(inputMembers, onlyThese(inputMembers));

interface Data {
  plans: TaskPlan[];
  parallel: number;
  wait: boolean;
}

export default defineTool<z.infer<typeof input>, Data, "tasks">({
  name: "submit_agent_tasks",
  verb: "start",
  alias: "Agent",
  family: "agents",
  order: 31,
  effects: ["spawn"],
  needs: ["tasks"],
  description:
    "Gives tasks to other agents, which work on them side by side. Built in: explore (finds out, reads only), implement (one change), review (finds faults, reads only), test (runs tests). An unknown name lists all there are.",
  input,
  async prepare({ tasks: asked, max_parallel: parallel = 4, wait = true }, { tasks }) {
    const plans: TaskPlan[] = [];
    for (const each of asked) plans.push(await tasks.plan(requestOf(each)));
    const [first] = plans;
    const summary = plans.length === 1 && first ? first.summary : `give ${plans.length} tasks to agents`;
    return {
      effect: "spawn",
      paths: [],
      summary,
      view: { type: "list", items: plans.map((plan) => plan.summary) },
      digest: sha256(plans.map(({ digest }) => digest).join("\n")),
      data: { plans, parallel: Math.round(Math.min(32, Math.max(1, parallel))), wait },
    };
  },
  async apply({ data: { plans, parallel, wait } }, { tasks, call, signal, byHand = false }) {
    const records = await tasks.submit(plans, { call, maxParallel: parallel, byHand });
    if (!wait) return tasksResult(records, { now: "you are told when each has ended", brief: true });
    const ended = await tasks.wait(
      records.map(({ id }) => id),
      { signal },
    );
    return { ...tasksResult(ended), ...(signal.aborted ? { status: "cancelled" as const } : {}) };
  },
});

function requestOf(asked: z.infer<typeof task>): AgentTaskRequest {
  const { max_turns: turns, max_cost: cost, timeout_seconds: seconds } = asked;
  const given = {
    title: asked.title,
    model: asked.model_name,
    labels: asked.labels,
    metadata: asked.metadata as AgentTaskRequest["metadata"],
    timeoutMs: seconds === undefined ? undefined : seconds * 1_000,
    limits: turns === undefined && cost === undefined ? undefined : defined({ turns, cost }),
    dependsOn: asked.depends_on,
    outputSchema: asked.output_schema as AgentTaskRequest["outputSchema"],
    worktree: asked.isolation === "worktree" ? true : undefined,
  };
  return { kind: "agent", agent: asked.agent_name, prompt: asked.prompt, ...defined(given) };
}

/** Without what was not given. */
function defined<Given extends object>(given: Given): { [Name in keyof Given]?: Exclude<Given[Name], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never;
}
