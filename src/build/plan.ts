// The plan of a build: typed tasks with the files they make, what each waits for and how it is accepted. Kept as YAML that a
// person can change before it is carried out (`.cinch/build/<id>/plan.yaml`).
// Invariants: what comes out of here can be carried out: every dependency is there and none goes round in a circle, every
// role is one of the formation's, every model is one, no file is made by two tasks, and no path leads out of the project.
// Not here: who writes the plan (planner.ts), in which order it is carried out (waves.ts).

import { normalize } from "node:path/posix";
import { stringify } from "yaml";
import * as z from "zod";
import type { JsonObject } from "../core/json.js";
import { ownedBy } from "../lib/ownership.js";
import { nameFault } from "../models/open.js";
import { type Formation, mayWrite, waveOf } from "./formation.js";
import { type Checked, checkValue, type Flaw, readYaml } from "./yaml-text.js";

const id = z.string().regex(/^[a-z][a-z0-9-]*$/, "an id is lower case letters, digits and hyphens");
/** From the working directory. */
export const insidePath = z
  .string()
  .min(1)
  .refine(
    (path) => !path.startsWith("/") && !path.split("/").includes(".."),
    "a path is relative and stays inside the project",
  )
  .refine((path) => !/\p{Cc}/u.test(path), "a path is one line, without control characters")
  // `./a.js` is `a.js`, wherever it is named.
  .transform((path) => normalize(path));

const planTask = z.strictObject({
  id,
  /** One line for people. */
  title: z.string().min(1),
  /** The role of the formation that does it. */
  role: id,
  /** What its agent is told. */
  prompt: z.string().min(1),
  /** Files that are there and whole when it is done. */
  files: z.array(insidePath).default([]),
  /** Names that each of these files gives to others: exports, functions, ids of elements. */
  exports: z.record(insidePath, z.array(z.string().min(1))).default({}),
  /** Commands that succeed when it is done, from the working directory. */
  accept: z.array(z.string().min(1)).default([]),
  /** Tasks that have to be done before. */
  after: z.array(id).default([]),
  /** A stronger model that goes on, once, when it is not done within its turns. */
  escalate: z.string().min(1).optional(),
});

const planInput = z.strictObject({
  goal: z.string().min(1),
  formation: z.string().min(1),
  tasks: z.array(planTask).min(1, "a plan needs a task").max(100, "a plan has a hundred tasks at most"),
  /** How the result is started and looked at; absent: what is found there decides. */
  app: z
    .strictObject({
      start: z.string().min(1).optional(),
      path: z
        .string()
        .regex(/^\/[\x21-\x7e]*$/, "a path begins with / and is written as in an address, with %20 for a blank")
        .default("/"),
    })
    .optional(),
});

export type PlanTask = z.infer<typeof planTask>;
export type BuildPlan = z.infer<typeof planInput>;

/** What a planner has to answer with. */
export function planSchema(): JsonObject {
  const { $schema: _, ...schema } = z.toJSONSchema(planInput, { io: "input" }) as JsonObject;
  return schema;
}

/** Milliseconds that a command of `accept` has. */
export const acceptPatience = 300_000;

type Formations = (name: string) => Formation | null;

/** From a value, as a model gives it. */
export function checkPlan(value: unknown, formations: Formations): Checked<BuildPlan> {
  return checkValue(value, planInput, (plan) => contradictions(plan, formations));
}

export function readPlan(text: string, formations: Formations): Checked<BuildPlan> {
  return readYaml(text, planInput, (plan) => contradictions(plan, formations));
}

/** What each part allows and the whole does not. */
function contradictions({ formation: name, tasks }: BuildPlan, formations: Formations): Flaw[] {
  const formation = formations(name);
  if (!formation) return [{ path: ["formation"], text: `there is no formation ${name}` }];
  const roles = formation.roles.map((role) => role.name);
  const ids = tasks.map((task) => task.id);
  const makers = new Map<string, string>();
  return tasks.flatMap((task, i) => {
    const found: Flaw[] = [];
    const complain = (path: readonly PropertyKey[], text: string) =>
      void found.push({ path: ["tasks", i, ...path], text: `${task.id}: ${text}` });
    if (ids.indexOf(task.id) !== i) complain(["id"], "there are two tasks of this id");
    const role = formation.roles.find((each) => each.name === task.role);
    if (!role) complain(["role"], `${name} has no role ${task.role}; it has: ${roles.join(", ")}`);
    else if (task.files.length > 0 && !mayWrite(role))
      complain(["files"], `${task.role} has the tools ${role.tools}, which write nothing; another role makes files`);
    for (const [j, before] of task.after.entries()) {
      const other = tasks.find((each) => each.id === before);
      if (!other) complain(["after", j], `there is no task ${before} to wait for`);
      else if (waveOf(formation, other.role) > waveOf(formation, task.role))
        complain(["after", j], `it waits for ${before}, whose role ${other.role} works in a later wave`);
    }
    const unknown = task.escalate === undefined ? null : nameFault(task.escalate);
    if (unknown !== null) complain(["escalate"], unknown);
    if (reaches(tasks, task.id)) complain(["after"], "it waits for itself in the end");
    for (const [j, file] of task.files.entries()) {
      const maker = makers.get(file);
      if (maker !== undefined) complain(["files", j], `${file} is made by ${maker} already; wait for it instead`);
      else makers.set(file, task.id);
    }
    for (const [j, file] of task.files.entries()) {
      const owner = ownerBeside(formation, task.role, file);
      if (owner) complain(["files", j], `${file} belongs to the role ${owner}, which works at the same time`);
    }
    for (const file of Object.keys(task.exports))
      if (!task.files.includes(file)) complain(["exports", file], `${file} is not among its files`);
    return found;
  });
}

/** A role of the same wave that owns the file, if its own does not. */
function ownerBeside(formation: Formation, role: string, file: string): string | undefined {
  const own = formation.roles.find(({ name }) => name === role);
  if (!own || ownedBy(own.owns)(file)) return undefined;
  const wave = formation.waves[waveOf(formation, role)] ?? [];
  return formation.roles.find(({ name, owns }) => name !== role && wave.includes(name) && ownedBy(owns)(file))?.name;
}

/** Does a task wait for itself? */
function reaches(tasks: readonly PlanTask[], from: string): boolean {
  const waiting = new Set<string>();
  const open = [from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const before of tasks.find((task) => task.id === id)?.after ?? []) {
      if (before === from) return true;
      if (!waiting.has(before)) open.push(before);
      waiting.add(before);
    }
  }
  return false;
}

/** How it is started and looked at, as far as the plan says it. */
export function appOf({ app }: BuildPlan): { start?: string; path?: string } {
  const { start, path } = app ?? {};
  return { ...(start === undefined ? {} : { start }), ...(path === undefined ? {} : { path }) };
}

/** For people: what was left out because it is empty does not stand there. */
export function planText(plan: BuildPlan): string {
  const isEmpty = (value: unknown) => typeof value === "object" && value !== null && Object.keys(value).length === 0;
  const tasks = plan.tasks.map((task) =>
    Object.fromEntries(Object.entries(task).filter(([, value]) => !isEmpty(value))),
  );
  return stringify({ ...plan, tasks }, { lineWidth: 110 });
}
