// The state of a build: all that resuming needs, as one JSON text.
// Invariant: what comes out of here is whole and fits together: formation and plan have passed the checks they passed when they
// were made, and every task, file and proof is one of this build's, inside the project. Anything else is a fault with its reason.
// Not here: where it is kept, and that the project cannot write there (record.ts).

import * as z from "zod";
import type { FileChange } from "../core/plan.js";
import { parseJson } from "../lib/json.js";
import { withCommands } from "./changes.js";
import { checkFormation, type Formation } from "./formation.js";
import { type BuildPlan, checkPlan, insidePath } from "./plan.js";
import type { Evidence, PreviewStatus, Verdict } from "./ports.js";

/** mending: it was done, and what was found wrong afterwards is with its agent. */
export type TaskStatus = "todo" | "done" | "failed" | "blocked" | "mending";

/** One task of the plan, when its first work has ended, or when it is to be done anew. */
export interface TaskOutcome {
  status: TaskStatus;
  why?: string;
  /** What the checks of the whole found wrong with what it made. */
  found?: string[];
  /** What its agents changed: paths from the root, net over all attempts. */
  files: FileChange[];
  /** What its agent answered last. */
  answer: string;
}

/** A file of one task that a program of another one changed while they worked side by side. */
export interface Conflict {
  path: string;
  /** Whose program it was, or may have been. */
  task: string;
  /** Whose file it is. */
  of: string;
  /** False: a program of the owner ran as well, so it may have been that. */
  known: boolean;
  /** The owner has been asked to look at it. */
  sent?: true;
}

/** Where it failed, and at what. */
export interface Failure {
  detail: "tasks" | "verify" | "gate";
  why: string;
}

export interface BuildState {
  v: 1;
  id: string;
  session: string;
  /** Where it is made, as agents and commands of it see it; absent: the project's root. */
  cwd?: string;
  spec: string;
  formation: Formation;
  plan: BuildPlan;
  /** Milliseconds since the epoch. */
  created: number;
  tasks: Record<string, TaskOutcome>;
  /** Per task: what its acceptance commands changed, oldest first. */
  commands: Record<string, FileChange[]>;
  /** What programs of a task changed of another one's. */
  conflicts: Conflict[];
  /** Counts how often what had failed was begun anew. */
  round: number;
  /** Of what was found wrong and sent back. */
  cycles: number;
  evidence: Evidence[];
  verdict: Verdict | null;
  preview: PreviewStatus | null;
  /** `done` and `failed` are for good. */
  outcome: "open" | "done" | "failed";
  failure?: Failure;
}

/** All that was seen to change in the work of a task; whose it is: attribution.ts. */
export function changedBy({ tasks, commands }: BuildState, task: string): FileChange[] {
  return withCommands(tasks[task]?.files ?? [], commands[task] ?? []);
}

/** Tasks whose work has come to an end. */
export function endedTasks({ tasks }: BuildState): number {
  return Object.values(tasks).filter(({ status }) => status !== "todo").length;
}

const word = z.string().regex(/^[\w-]{1,100}$/, "it is letters, digits and hyphens");
const count = z.int().min(0).max(1_000_000);
const hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .nullable();

const change: z.ZodType<FileChange> = z.strictObject({
  path: z.string().min(1),
  before: hash,
  after: hash,
  mode: z.strictObject({ before: z.int().nullable(), after: z.int().nullable() }).exactOptional(),
  uncovered: z.enum(["gone", "changed"]).exactOptional(),
  unsure: z.literal(true).exactOptional(),
  byCommand: z.literal(true).exactOptional(),
  unseen: z.literal(true).exactOptional(),
});

const outcome: z.ZodType<TaskOutcome> = z.strictObject({
  status: z.enum(["todo", "done", "failed", "blocked", "mending"]),
  why: z.string().exactOptional(),
  found: z.array(z.string()).min(1).exactOptional(),
  files: z.array(change),
  answer: z.string(),
});

const evidence: z.ZodType<Evidence> = z.strictObject({
  level: z.enum(["L1", "L2", "L3", "L4"]),
  ok: z.boolean(),
  unchecked: z.literal(true).exactOptional(),
  what: z.string(),
  file: z.string().exactOptional(),
  line: z.int().exactOptional(),
  artifact: insidePath.exactOptional(),
  task: z.string().exactOptional(),
});

const verdict: z.ZodType<Verdict> = z.strictObject({
  verdict: z.enum(["PASS", "FAIL", "CONDITIONAL"]),
  findings: z.array(
    z.strictObject({
      severity: z.enum(["blocker", "major", "minor"]),
      file: z.string().exactOptional(),
      line: z.int().exactOptional(),
      what: z.string(),
    }),
  ),
  none: z.literal(true).exactOptional(),
});

const preview: z.ZodType<PreviewStatus> = z.strictObject({
  state: z.enum(["starting", "healthy", "unhealthy", "stopped"]),
  url: z.string().nullable(),
  stack: z.string().nullable(),
  status: z.int().nullable(),
  what: z.string(),
});

const form = z.strictObject({
  v: z.literal(1),
  id: word,
  session: word,
  cwd: z.string().exactOptional(),
  spec: z.string(),
  // These two have checks of their own.
  formation: z.unknown(),
  plan: z.unknown(),
  created: z.number().min(0),
  tasks: z.record(z.string(), outcome),
  commands: z.record(z.string(), z.array(change)),
  conflicts: z.array(
    z.strictObject({
      ...{ path: z.string(), task: z.string(), of: z.string() },
      ...{ known: z.boolean(), sent: z.literal(true).exactOptional() },
    }),
  ),
  round: count,
  cycles: count,
  evidence: z.array(evidence),
  verdict: verdict.nullable(),
  preview: preview.nullable(),
  outcome: z.enum(["open", "done", "failed"]),
  failure: z.strictObject({ detail: z.enum(["tasks", "verify", "gate"]), why: z.string() }).exactOptional(),
});

/** The state, or why it is none. `id`: the build it has to be of. */
export function parseState(text: string, id: string): BuildState | { fault: string } {
  const value = parseJson(text);
  if (value === undefined) return { fault: "it is no JSON" };
  const read = form.safeParse(value);
  if (!read.success) return { fault: read.error.issues.map(({ path, message }) => told(path, message)).join("; ") };
  const { formation: givenFormation, plan: givenPlan, failure, ...rest } = read.data;
  if (rest.id !== id) return { fault: `it is the state of the build ${rest.id}` };
  const formation = checkFormation(givenFormation);
  if (!formation.value) return { fault: `its formation does not hold: ${problemsOf(formation)}` };
  const { value: team } = formation;
  const plan = checkPlan(givenPlan, (name) => (name === team.name ? team : null));
  if (!plan.value) return { fault: `its plan does not hold: ${problemsOf(plan)}` };
  const state: BuildState = { ...rest, formation: team, plan: plan.value, ...(failure ? { failure } : {}) };
  const fault = contradiction(state);
  return fault === null ? state : { fault };
}

/** What each part allows and the whole does not. */
function contradiction({
  plan,
  tasks,
  commands,
  conflicts,
  outcome: end,
  failure,
  evidence: looked,
}: BuildState): string | null {
  const known = new Set(plan.tasks.map(({ id }) => id));
  const named = [
    ...Object.keys({ ...tasks, ...commands }),
    ...conflicts.flatMap(({ task, of }) => [task, of]),
    ...looked.flatMap(({ task }) => (task === undefined ? [] : [task])),
  ];
  const stranger = named.find((id) => !known.has(id));
  if (stranger !== undefined) return `its plan has no task ${JSON.stringify(stranger)}`;
  const open = plan.tasks.find(({ id }) => tasks[id]?.status !== "done");
  if (end === "done" && open) return `it is said to be done, and its task ${open.id} is not`;
  if ((end === "failed") !== (failure !== undefined))
    return "it is said to have failed without a failure, or both ways";
  return null;
}

function told(path: readonly PropertyKey[], message: string): string {
  return `${path.map(String).join(".") || "all of it"}: ${message}`;
}

function problemsOf({ problems }: { problems: readonly { text: string }[] }): string {
  return problems.map(({ text }) => text).join("; ");
}
