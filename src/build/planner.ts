// From a text of what is wanted to a plan that can be carried out: an agent that only reads makes it, and it is checked here.
// Invariant: what comes out has passed the same checks as a plan that a person wrote; what contradicts itself goes back once.

import { UserError } from "../core/errors.js";
import type { JsonSchema } from "../core/json.js";
import { isSettled, type TaskRecord } from "../core/task.js";
import { planFaultsBrief, plannerBrief, routeBrief } from "./brief.js";
import type { Crew } from "./crew.js";
import type { Formation } from "./formation.js";
import { type BuildPlan, checkPlan, planSchema } from "./plan.js";
import { routeFormation } from "./routing.js";

const agent = "explore";

const routeSchema: JsonSchema = {
  type: "object",
  additionalProperties: false,
  required: ["complexity", "scope"],
  properties: {
    complexity: { enum: ["routine", "medium", "complex", "novel"] },
    scope: { enum: ["small", "medium", "large"] },
  },
};

/** Name of the formation that fits. */
export async function route(spec: string, crew: Crew): Promise<string> {
  const ended = await crew.work({
    ...{ task: "", kind: "route", name: "router", agent, model: "fast", title: "how hard it is" },
    prompt: routeBrief(spec),
    outputSchema: routeSchema,
  });
  const { complexity, scope } = (ended.value ?? {}) as { complexity?: string; scope?: string };
  if (complexity !== undefined && scope !== undefined) return routeFormation(complexity, scope);
  throw new UserError(
    `Which formation fits was not found out: ${whyOf(ended)}.`,
    "Name one: --formation <name>; `cinch formations list` shows them.",
    1,
  );
}

export async function makePlan(spec: string, formation: Formation, crew: Crew): Promise<BuildPlan> {
  const wanted = { task: "", agent, name: "planner", model: "smart", outputSchema: planSchema() as JsonSchema };
  const first = await crew.work({
    ...{ ...wanted, kind: "plan", title: "the plan" },
    prompt: plannerBrief(spec, formation),
  });
  const checked = planAnswered(first, formation);
  if (checked.value) return checked.value;
  const again = await crew.work({
    ...{ ...wanted, kind: "plan again", title: "the plan, mended" },
    prompt: planFaultsBrief(checked.problems),
    continues: first.id,
  });
  const mended = planAnswered(again, formation);
  if (mended.value) return mended.value;
  throw new UserError(
    `There is no plan: ${mended.problems.join("; ")}.`,
    "Say more exactly what is wanted, or write a plan and give it with --plan <file>.",
    1,
  );
}

function planAnswered(ended: TaskRecord, formation: Formation): { value: BuildPlan | null; problems: string[] } {
  if (ended.value === undefined) {
    if (ended.error?.kind === "schema") return { value: null, problems: [ended.error.text] };
    throw new UserError(`There is no plan: ${whyOf(ended)}.`, "Run the same command again.", 1);
  }
  const { value, problems } = checkPlan(ended.value, (name) => (name === formation.name ? formation : null));
  return { value, problems: problems.map(({ text }) => text) };
}

export function whyOf({ state, error }: TaskRecord): string {
  // Of a session that somebody talks to a budget says more: that nobody can do here.
  const [told] = error?.kind === "budget" ? error.text.split("; continue the session") : [error?.text];
  const why = told ?? (isSettled(state) ? `its agent ended as ${state}` : `it is ${state}`);
  return why.replace(/\.$/, "");
}
