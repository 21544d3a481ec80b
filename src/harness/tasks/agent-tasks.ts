// Tasks of kind agent, as a session starts them: which agent, with which model, how deep, and what it may use.
// Invariant: what can be known to be wrong is refused before anything is queued.

import type { AgentDefinition } from "../../core/agent.js";
import { Refusal } from "../../core/errors.js";
import { type AgentTaskRequest, isSettled, type TaskBounds, type TaskPlan, type TaskRecord } from "../../core/task.js";
import { sha256 } from "../../lib/hash.js";
import { canonical } from "../../lib/json.js";
import { printable } from "../../lib/paths.js";
import { nameFault } from "../../models/open.js";
import { agentFileOf, createId } from "../../session/store.js";
import { answerCheck } from "../conversation/answer.js";
import { meantModel } from "../models/model.js";
import type { Kin } from "./kin.js";
import type { TaskTrade } from "./session-tasks.js";

interface AgentTaskPlan extends TaskPlan {
  agent: AgentDefinition;
  /** Conversation that it goes on in. */
  goesOn: string | undefined;
}

type Find = (task: string) => TaskRecord | undefined;

/** `depth`: how deep agents may start agents. */
export function agentTrade(kin: Kin, depth: number, find: Find): TaskTrade {
  return {
    async plan(request): Promise<AgentTaskPlan> {
      if (request.kind !== "agent") throw new Refusal("input", "This is no task for an agent. Nothing was started.");
      if (kin.depth >= depth) throw tooDeep(depth);
      const goesOn = request.continues === undefined ? undefined : conversationOf(request.continues, kin, find);
      const agent = await (await kin.agents()).find(request.agent);
      mustBeKnown(request.model ?? agent.model, kin);
      if (request.prompt.trim() === "") throw new Refusal("input", "The prompt is empty. Nothing was started.");
      if (request.outputSchema) await usable(request.outputSchema);
      const summary = `give the agent ${agent.name} a task: ${lineOf(request)}`;
      // What an agent may do decides what is approved, so a file that changes meanwhile is another plan.
      return { request, agent, goesOn, summary, digest: sha256(canonical({ request, agent } as never)) };
    },
    record(plan): Partial<TaskRecord> & { cwd: string } {
      const { request, goesOn, agent: found } = plan as AgentTaskPlan;
      if (request.kind !== "agent") throw new Error("a plan of another kind");
      const { prompt, model, outputSchema, worktree } = request;
      const bounds = boundsOf(request);
      return {
        ...{ agent: found.name, prompt, cwd: kin.at.cwd, title: request.title ?? lineOf(request) },
        // Known before it begins: so whoever finds the record after a crash finds the conversation, and one write less.
        session: goesOn ?? createId(kin.at.ids),
        ...(goesOn === undefined ? {} : { continues: true }),
        ...(bounds ? { bounds } : {}),
        ...(worktree === true ? { worktree } : {}),
        ...(model === undefined ? {} : { model }),
        ...(outputSchema === undefined ? {} : { outputSchema }),
      };
    },
  };
}

function mustBeKnown(model: string, { at }: Kin): void {
  const fault = nameFault(meantModel(model, at.settings) ?? "inherit");
  if (fault !== null) throw new Refusal("input", `${fault} Nothing was started.`);
}

function tooDeep(depth: number): Refusal {
  const levels = depth === 1 ? "1 level" : `${depth} levels`;
  return new Refusal(
    "input",
    `Agents start agents ${levels} deep at most (tasks.depth), and you are that deep. Nothing was started. Do the work yourself, or say in your answer what is left.`,
  );
}

/** What was asked for, and no more, so that a record stays small. */
function boundsOf({ name, owns, profile, deny }: AgentTaskRequest): TaskBounds | undefined {
  const given = Object.entries({ name, owns, profile, deny }).filter(([, value]) => value !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

function conversationOf(id: string, { session, file, at }: Kin, find: Find): string {
  const earlier = find(id);
  const own = earlier?.kind === "agent" && earlier.owner.session === session ? earlier : undefined;
  const gone = own?.session === undefined || !at.disk.existsSync(agentFileOf(file, own.session));
  if (own?.session !== undefined && isSettled(own.state) && !gone) return own.session;
  const what = own ? `is ${own.state}${gone ? ", and its conversation is gone" : ""}` : "is no agent's of this session";
  throw new Refusal("missing", `Task ${id} ${what}; nothing goes on in it. Nothing was started.`);
}

async function usable(schema: NonNullable<AgentTaskRequest["outputSchema"]>): Promise<void> {
  try {
    await answerCheck(schema);
  } catch (error) {
    throw new Refusal("input", `output_schema cannot be used: ${(error as Error).message} Nothing was started.`);
  }
}

function lineOf({ prompt }: AgentTaskRequest): string {
  const line = printable(prompt.trim().split("\n", 1)[0] ?? "");
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
