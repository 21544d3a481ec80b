// What is kept of a build below `.cinch/build/<id>/`: plan.yaml, state.json (what resuming needs) and artifacts.json (what came
// of it, for people and programs).
// Invariants: a file there is old or new, never half; a task stands there as done only when all its checks have passed, so
// whoever resumes after a kill does again what was not acknowledged, and nothing else. The attempts of a task are not kept
// here: they are task records with the build's id in their metadata, on disk before they begin.

import { join } from "node:path";
import { UserError } from "../core/errors.js";
import { addUsage, noUsage, type Usage } from "../core/message.js";
import type { FileChange } from "../core/plan.js";
import type { TaskRecord } from "../core/task.js";
import { replaceFile } from "../lib/atomic-file.js";
import type { Fs } from "../lib/fs.js";
import { isObject, parseJson } from "../lib/json.js";
import type { Formation } from "./formation.js";
import type { BuildPlan } from "./plan.js";
import type { Evidence, PreviewStatus, Verdict } from "./ports.js";

export type TaskStatus = "todo" | "done" | "failed" | "blocked";

/** One task of the plan, when it has ended. */
export interface TaskOutcome {
  status: TaskStatus;
  why?: string;
  /** Paths from the root, net over all attempts. */
  files: FileChange[];
  /** What its agent answered last. */
  answer: string;
}

export interface Attempt {
  task: string;
  kind: string;
  state: string;
  usage: Usage;
  cost: number | null;
  why?: string;
}

export interface BuildState {
  v: 1;
  id: string;
  session: string;
  spec: string;
  formation: Formation;
  plan: BuildPlan;
  /** Milliseconds since the epoch. */
  created: number;
  tasks: Record<string, TaskOutcome>;
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

/** Where it failed, and at what. */
export interface Failure {
  detail: "tasks" | "verify" | "gate";
  why: string;
}

const folder = ".cinch/build";

function buildDirectory(root: string, id: string): string {
  return join(root, folder, id);
}

export class BuildRecord {
  readonly directory: string;
  readonly #disk: Fs;
  state: BuildState;

  constructor(disk: Fs, root: string, state: BuildState) {
    this.#disk = disk;
    this.state = state;
    this.directory = buildDirectory(root, state.id);
  }

  /** @throws UserError that says what is wrong */
  static load(disk: Fs, root: string, id: string): BuildRecord {
    const file = join(buildDirectory(root, id), "state.json");
    const builds = buildsIn(disk, root);
    const known = builds.length > 0 ? `There are: ${builds.join(", ")}.` : "There is none yet.";
    if (!/^[\w-]+$/.test(id) || !disk.existsSync(file))
      throw new UserError(`There is no build ${JSON.stringify(id)} here.`, known, 1);
    const state = parseJson(disk.readFileSync(file, "utf8"));
    if (!isObject(state) || state["v"] !== 1 || state["id"] !== id)
      throw new UserError(`${file} is no state of a build that this Cinch reads.`, "Start a new build.", 1);
    return new BuildRecord(disk, root, state as unknown as BuildState);
  }

  async save(): Promise<void> {
    await this.#prepare();
    await replaceFile(this.#disk, join(this.directory, "state.json"), text(this.state), {});
  }

  async keep(name: string, content: string): Promise<string> {
    await this.#prepare();
    const file = join(this.directory, name);
    await replaceFile(this.#disk, file, content, {});
    return file;
  }

  /** Once: builds are nobody's source, so git is told to leave them out. */
  async #prepare(): Promise<void> {
    if (this.#disk.existsSync(this.directory)) return;
    this.#disk.mkdirSync(this.directory, { recursive: true });
    const ignore = join(this.directory, "..", ".gitignore");
    if (!this.#disk.existsSync(ignore)) await replaceFile(this.#disk, ignore, "*\n", {});
  }

  /** The manifest: every task with what it changed, was tried and has cost. `records`: all that were made for this build. */
  async manifest(records: readonly TaskRecord[]): Promise<void> {
    await this.keep("artifacts.json", text(manifestOf(this.state, records)));
  }
}

/** Newest first. */
function buildsIn(disk: Fs, root: string): string[] {
  const directory = join(root, folder);
  if (!disk.existsSync(directory)) return [];
  return disk
    .readdirSync(directory)
    .filter((name) => name !== ".gitignore")
    .sort()
    .reverse();
}

export interface Manifest {
  build: string;
  goal: string;
  formation: string;
  outcome: BuildState["outcome"];
  failure?: Failure;
  tasks: Record<
    string,
    TaskOutcome & { title: string; role: string; attempts: Attempt[]; usage: Usage; cost: number | null }
  >;
  roles: Record<string, { usage: Usage; cost: number | null }>;
  /** Agents that worked for no task of the plan: planning and judging. */
  others: Attempt[];
  usage: Usage;
  cost: number | null;
  evidence: Evidence[];
  gate: Verdict | null;
  preview: PreviewStatus | null;
}

export function manifestOf(state: BuildState, records: readonly TaskRecord[]): Manifest {
  const attempts = new Map<string, Attempt[]>();
  for (const record of [...records].sort((a, b) => a.created - b.created)) {
    const task = String(record.metadata?.["task"] ?? "");
    attempts.set(task, [...(attempts.get(task) ?? []), attemptOf(record)]);
  }
  const { plan } = state;
  const tasks = plan.tasks.map(({ id, title, role }) => {
    const outcome = state.tasks[id] ?? { status: "todo" as const, files: [], answer: "" };
    const own = attempts.get(id) ?? [];
    return [id, { title, role, ...outcome, attempts: own, ...sumOf(own) }] as const;
  });
  const roles = state.formation.roles.map(({ name }) => {
    const ids = plan.tasks.filter(({ role }) => role === name).map(({ id }) => id);
    return [name, sumOf(ids.flatMap((id) => attempts.get(id) ?? []))] as const;
  });
  const all = [...attempts.values()].flat();
  const ids = new Set(plan.tasks.map(({ id }) => id));
  return {
    build: state.id,
    goal: plan.goal,
    formation: state.formation.name,
    outcome: state.outcome,
    ...(state.failure ? { failure: state.failure } : {}),
    tasks: Object.fromEntries(tasks),
    roles: Object.fromEntries(roles),
    others: [...attempts].flatMap(([task, made]) => (ids.has(task) ? [] : made)),
    ...sumOf(all),
    evidence: state.evidence,
    gate: state.verdict,
    preview: state.preview,
  };
}

function attemptOf({ id, metadata, title, state, usage, cost, error }: TaskRecord): Attempt {
  const kind = String(metadata?.["kind"] ?? title);
  return { task: id, kind, state, usage, cost, ...(error ? { why: error.text } : {}) };
}

function sumOf(attempts: readonly Attempt[]): { usage: Usage; cost: number | null } {
  const usage = attempts.reduce((sum, each) => addUsage(sum, each.usage), noUsage);
  const cost = attempts.reduce<number | null>(
    (sum, each) => (sum === null || each.cost === null ? null : sum + each.cost),
    0,
  );
  return { usage, cost };
}

function text(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
