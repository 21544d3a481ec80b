// One task of a plan, from its brief to an end that was checked:
//   first attempt → its files are looked at → once more, in the same conversation: to mend what is a stub, and to read back
//   what it made → its acceptance commands are run → (accept) once more → done; what does not get there goes to the stronger model that the plan names, once, or has failed.
// Invariant: no agent's word makes a task done: its files are read and its commands run by the engine. Only a role that may
// write is sent back.

import { Cancelled } from "../core/errors.js";
import type { FileChange } from "../core/plan.js";
import type { Profile } from "../core/policy.js";
import type { TaskRecord } from "../core/task.js";
import { escalationBrief, faultLine, mendBrief, readBackBrief, stubBrief, taskBrief, type Upstream } from "./brief.js";
import { fromRoot, merged, standing } from "./changes.js";
import { type Fault, faultsOf, type Ground } from "./completeness.js";
import type { Crew, CrewRequest } from "./crew.js";
import { type Formation, mayWrite, type Role } from "./formation.js";
import { acceptPatience, type BuildPlan, type PlanTask } from "./plan.js";
import { whyOf } from "./planner.js";
import type { RunCommand } from "./ports.js";
import type { TaskOutcome } from "./state.js";
import { turnBudget } from "./turn-budget.js";

export interface TaskSite {
  plan: BuildPlan;
  formation: Formation;
  /** The session's own. */
  model: string;
  crew: Crew;
  ground: Ground;
  run: RunCommand;
  signal: AbortSignal;
  /** Something a person may want to know. */
  tell(task: string, text: string): void;
}

export function roleOf(formation: Formation, task: PlanTask): Role {
  const role = formation.roles.find(({ name }) => name === task.role);
  if (!role) throw new Error(`the plan was checked, and ${task.role} is no role`);
  return role;
}

/** What every request for a task has in common. */
function common({ formation }: TaskSite, task: PlanTask): Omit<CrewRequest, "kind" | "prompt"> {
  const role = roleOf(formation, task);
  return {
    ...{ task: task.id, title: task.title, agent: role.agent, name: role.name },
    ...(role.model === "inherit" ? {} : { model: role.model }),
    profile: role.tools as Profile,
    deny: [...role.deny, ...formation.deny],
    owns: [...role.owns, ...task.files],
  };
}

export async function workOn(site: TaskSite, task: PlanTask, upstream: readonly Upstream[]): Promise<TaskOutcome> {
  const role = roleOf(site.formation, task);
  const budget = turnBudget(task);
  const brief = taskBrief(site.plan, task, { role, upstream, budget });
  const first = await site.crew.work({
    ...common(site, task),
    ...{ kind: "first", prompt: brief, limits: { turns: budget.hard - budget.readBack } },
  });
  const found = await settled(site, task, first);
  if (found.wrong === null || task.escalate === undefined) return outcomeOf(found);
  site.tell(task.id, `goes on with ${task.escalate}: ${found.wrong}`);
  const written = found.files.filter(({ after }) => after !== null).map(({ path }) => path);
  const stronger = await site.crew.work({
    ...common(site, task),
    ...{ kind: "escalation", model: task.escalate, limits: { turns: budget.escalation } },
    prompt: escalationBrief(brief, found.wrong, written),
  });
  const last = await looked(site, task, stronger);
  return outcomeOf({ ...last, files: merged(found.files, last.files) });
}

interface Found {
  record: TaskRecord;
  /** What is wrong; null = nothing. */
  wrong: string | null;
  files: FileChange[];
}

/** The first attempt, and what it takes to make it right in the same conversation. */
async function settled(site: TaskSite, task: PlanTask, first: TaskRecord): Promise<Found> {
  const { escalation, readBack } = turnBudget(task);
  const canMend = mayWrite(roleOf(site.formation, task));
  const again = (kind: string, prompt: string, before: TaskRecord, turns = escalation) =>
    site.crew.work({ ...common(site, task), kind, prompt, continues: before.id, limits: { turns } });
  let record = first;
  const faults = await faultsAfter(site, task, record);
  if (faults.length > 0 && canMend) {
    for (const fault of faults) site.tell(task.id, `not done: ${faultLine(fault)}`);
    record = await again("stub", stubBrief(faults, task), record);
  } else if (record.state === "succeeded" && readBack > 0 && canMend) {
    const back = await again("read back", readBackBrief(task), record, readBack);
    // Ended within it or not: what counts is what is there now.
    record = back.state === "succeeded" ? back : { ...first, files: back.files ?? first.files ?? [] };
  }
  const seen = await looked(site, task, record);
  if (seen.accept.length === 0 || !canMend) return seen;
  for (const each of seen.accept) site.tell(task.id, `not accepted: ${each.split("\n", 1)[0]}`);
  record = await again("accept", mendBrief(seen.accept), record);
  // Its record tells of the whole conversation.
  return looked(site, task, record);
}

/** Only of an agent that says it is done; another one has failed for a reason of its own. */
function faultsAfter({ ground }: TaskSite, task: PlanTask, { state }: TaskRecord): Promise<Fault[]> {
  return state === "succeeded" ? faultsOf(task, ground) : Promise.resolve([]);
}

async function looked(site: TaskSite, task: PlanTask, record: TaskRecord): Promise<Found & { accept: string[] }> {
  const files = fromRoot(site.ground.root, record.files ?? []);
  if (record.state !== "succeeded") return { record, wrong: whyOf(record), files, accept: [] };
  return { record, files, ...(await wrongWith(site, task)) };
}

/** With what there is now, whoever made it. `accept`: the commands that fail. */
async function wrongWith(site: TaskSite, task: PlanTask): Promise<{ wrong: string | null; accept: string[] }> {
  const faults = await faultsOf(task, site.ground);
  if (faults.length > 0) return { wrong: `stub: ${faults.map((each) => faultLine(each)).join("; ")}`, accept: [] };
  // Whoever makes nothing is not held to commands about what others have made: those are the last check's (verify/).
  const accept = task.files.length === 0 ? [] : await refusedBy(site, task);
  return { wrong: accept.length === 0 ? null : `not accepted: ${accept.join("; ")}`, accept };
}

/** Characters of output that a failed command is shown with. */
const maxOutput = 2_000;

async function refusedBy({ run, signal, tell }: TaskSite, { id, accept }: PlanTask): Promise<string[]> {
  const failed: string[] = [];
  for (const command of accept) {
    const { code, output, refused } = await run(command, { task: id, timeout: acceptPatience, signal });
    // A pause ends it: that says nothing of what it looks at.
    if (signal.aborted) throw new Cancelled("paused");
    if (refused) tell(id, `${command} was not run: ${output.split("\n", 1)[0]}`);
    else if (code !== 0) failed.push(`\`${command}\` ${endOf(code)}:\n${output.slice(-maxOutput)}`);
  }
  return failed;
}

function endOf(code: number | null): string {
  return code === null ? "did not end by itself" : `ended with ${code}`;
}

function outcomeOf({ record, wrong, files }: Found): TaskOutcome {
  const answer = record.result ?? "";
  return wrong === null ? { status: "done", files, answer } : { status: "failed", why: wrong, files, answer };
}

/**
 * One more attempt, at what was found wrong. However its agent ended: what counts is what is there now. That the finding is
 * mended is said by whoever found it, when it looks again.
 */
export async function mendTask(
  site: TaskSite,
  task: PlanTask,
  { kind, last, outcome }: { kind: string; last: string; outcome: TaskOutcome },
): Promise<TaskOutcome> {
  const { found = [] } = outcome;
  const { escalation: turns } = turnBudget(task);
  const record = await site.crew.work({
    ...common(site, task),
    ...{ kind, prompt: mendBrief(found), continues: last, limits: { turns } },
  });
  const { wrong } = await wrongWith(site, task);
  const files = merged(standing(site.ground, outcome.files), fromRoot(site.ground.root, record.files ?? []));
  const ended = outcomeOf({ record, wrong, files });
  return wrong === null ? ended : { ...ended, found };
}
