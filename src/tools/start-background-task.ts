// Starting work that goes on beside the conversation: a command, or an agent. It returns at once; the end of the task is told
// by itself. A command is planned like any other one, under the same rules; one that is to outlive Cinch says so.

import * as z from "zod";
import { Refusal } from "../core/errors.js";
import type { TaskPlan, TaskRequest } from "../core/task.js";
import { defineTool } from "../core/tool.js";
import { taskData, taskLine, taskView } from "./parts/tasks.js";

const input = z.object({
  kind: z.enum(["shell", "agent"]),
  command: z.string().optional(),
  cwd: z.string().optional(),
  timeout_seconds: z.int().min(1).max(604_800).optional(),
  detach: z
    .boolean()
    .optional()
    .describe("Keep running after Cinch has ended; at most 24 h unless timeout_seconds says more."),
  agent_name: z.string().optional(),
  prompt: z.string().optional(),
  model_name: z.string().optional(),
  title: z.string().max(120).optional(),
  metadata: z.record(z.string(), z.json()).optional(),
});

type Input = z.infer<typeof input>;

export default defineTool<Input, TaskPlan, "tasks">({
  name: "start_background_task",
  verb: "start",
  alias: "Bash",
  family: "background",
  order: 21,
  effects: ["exec", "spawn"],
  needs: ["tasks"],
  description:
    "Starts work that goes on while you do: kind shell (a bash command, e.g. a server or a long test run; no stdin, output kept from the first byte) or kind agent (agent_name and prompt). Returns its task_id at once; you are told when it ends.",
  input,
  async prepare(asked, { tasks }) {
    const plan = await tasks.plan(requestOf(asked));
    const { request, summary, analysis, digest } = plan;
    const isShell = request.kind === "shell";
    return {
      effect: isShell ? "exec" : "spawn",
      paths: [],
      summary,
      view: isShell
        ? { type: "terminal", command: request.command, output: "", exit: null }
        : { type: "text", text: request.prompt },
      digest,
      ...(analysis ? { command: analysis } : {}),
      ...(isShell && request.detach ? { survives: true as const } : {}),
      data: plan,
    };
  },
  hook: {
    to({ command = "", timeout_seconds: seconds, ...others }) {
      const timeout = typeof seconds === "number" ? { timeout: seconds * 1_000 } : {};
      return { command, ...timeout, description: "", run_in_background: true, ...others };
    },
    from({ timeout, description: _for, run_in_background: _always, ...others }) {
      return typeof timeout === "number" ? { ...others, timeout_seconds: Math.ceil(timeout / 1_000) } : others;
    },
  },
  async apply({ data: plan }, { tasks, call, byHand = false }) {
    const [record] = await tasks.submit([plan], { call, byHand });
    if (!record) throw new Error("a task was submitted and is not there");
    return {
      status: "ok",
      text: `Started in the background. ${taskLine(record)}`,
      view: taskView(record),
      data: taskData(record),
    };
  },
});

function requestOf(asked: Input): TaskRequest {
  const { kind, command, prompt, cwd, agent_name: agent, model_name: model, detach, title, metadata } = asked;
  const timeoutMs = asked.timeout_seconds === undefined ? undefined : asked.timeout_seconds * 1_000;
  const common = {
    ...(title === undefined ? {} : { title }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
  if (kind === "shell") {
    only(kind, { command }, { agent_name: agent, prompt, model_name: model });
    return {
      ...{ kind, command: command ?? "", ...common },
      ...(cwd === undefined ? {} : { cwd }),
      ...(detach === undefined ? {} : { detach }),
    };
  }
  only(kind, { agent_name: agent, prompt }, { command, cwd, detach });
  return { kind, agent: agent ?? "", prompt: prompt ?? "", ...common, ...(model === undefined ? {} : { model }) };
}

/** What a kind needs, and what belongs to the other one. */
function only(kind: string, needed: Record<string, unknown>, foreign: Record<string, unknown>): void {
  const missing = Object.keys(needed).filter((name) => needed[name] === undefined || needed[name] === "");
  const odd = Object.keys(foreign).filter((name) => foreign[name] !== undefined);
  const faults = [
    ...(missing.length > 0 ? [`needs ${missing.join(" and ")}`] : []),
    ...(odd.length > 0 ? [`does not take ${odd.join(", ")}`] : []),
  ];
  if (faults.length > 0)
    throw new Refusal("input", `A task of kind ${kind} ${faults.join(" and ")}. Nothing was started.`);
}
