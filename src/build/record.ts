// What is kept of a build. In the project, below `.cinch/build/<id>/`, for people and programs: plan.yaml, artifacts.json (what
// came of it), evidence/. In a folder of Cinch's own, `<id>.json`: what resuming believes.
// Invariants: a file there is old or new, never half; nothing that lies in the project is believed, so neither what came with it
// nor what an agent wrote makes a task done; a task stands as done only when all its checks have passed, so whoever resumes
// after a kill does again what was not acknowledged, and nothing else. The attempts of a task are not kept here: they are task
// records with the build's id in their metadata, on disk before they begin.

import { join } from "node:path";
import { UserError } from "../core/errors.js";
import { addUsage, noUsage, type Usage } from "../core/message.js";
import type { TaskRecord } from "../core/task.js";
import { replaceFile } from "../lib/atomic-file.js";
import type { Fs } from "../lib/fs.js";
import { ownFolder } from "../lib/own-folder.js";
import { readSmall } from "../lib/small-file.js";
import { attributed } from "./attribution.js";
import type { Evidence, PreviewStatus, Verdict } from "./ports.js";
import { type BuildState, type Conflict, type Failure, parseState, type TaskOutcome } from "./state.js";
import { written } from "./written.js";

export interface Attempt {
  task: string;
  kind: string;
  state: string;
  usage: Usage;
  cost: number | null;
  why?: string;
}

/** Where builds of a project are kept. */
export interface BuildShelf {
  disk: Fs;
  /** The project's. */
  root: string;
  /** Of Cinch's own, out of the project's reach; need not be there. */
  kept: string;
}

const folder = [".cinch", "build"];
/** No build that was made here comes near it. */
const largest = 64 * 1024 * 1024;

export class BuildRecord {
  /** In the project. */
  readonly directory: string;
  /** Of the project. */
  readonly root: string;
  readonly #shelf: BuildShelf;
  state: BuildState;

  constructor(shelf: BuildShelf, state: BuildState) {
    this.#shelf = shelf;
    this.root = shelf.root;
    this.state = state;
    this.directory = join(shelf.root, ...folder, state.id);
  }

  /** @throws UserError that says what is wrong, and what to do */
  static load(shelf: BuildShelf, id: string): BuildRecord {
    const { disk, root, kept } = shelf;
    const file = join(kept, `${id}.json`);
    if (!/^[\w-]+$/.test(id) || !disk.lstatSync(file, { throwIfNoEntry: false })) throw unknown(shelf, id);
    const read = disk.lstatSync(file).isFile() ? readSmall(disk, file, largest) : undefined;
    const state = !read
      ? { fault: "it is no file that can be read" }
      : read.cut
        ? { fault: "it is larger than any state of a build" }
        : parseState(read.text, id);
    if (!("fault" in state)) return new BuildRecord(shelf, state);
    throw new UserError(
      `${file} is no state of a build that this Cinch reads: ${state.fault}. Nothing was begun.`,
      `Begin anew: cinch build --plan ${join(root, ...folder, id, "plan.yaml")}`,
      1,
    );
  }

  async save(): Promise<void> {
    const { disk, kept } = this.#shelf;
    const file = join(kept, `${this.state.id}.json`);
    await written(file, () => {
      disk.mkdirSync(kept, { recursive: true, mode: 0o700 });
      return replaceFile(disk, file, text(this.state), { mode: 0o600 });
    });
  }

  async keep(name: string, content: string): Promise<string> {
    const file = join(this.directory, name);
    await written(file, async () => {
      await this.#opened();
      await replaceFile(this.#shelf.disk, file, content, {});
    });
    return file;
  }

  /** Builds are nobody's source, so git is told to leave them out. */
  async #opened(): Promise<void> {
    const { disk, root } = this.#shelf;
    const all = ownFolder(disk, root, folder);
    const ignore = join(all, ".gitignore");
    if (!disk.existsSync(ignore)) await replaceFile(disk, ignore, "*\n", {});
    ownFolder(disk, all, [this.state.id]);
  }

  /** The manifest: every task with what it changed, was tried and has cost. `records`: all that were made for this build. */
  async manifest(records: readonly TaskRecord[]): Promise<void> {
    await this.keep("artifacts.json", text(manifestOf(this.state, records)));
  }
}

function unknown(shelf: BuildShelf, id: string): UserError {
  const plan = join(shelf.root, ...folder, id, "plan.yaml");
  if (/^[\w-]+$/.test(id) && shelf.disk.existsSync(plan))
    return new UserError(
      `The build ${id} was not begun here by you: what lies in ${join(shelf.root, ...folder, id)} came from elsewhere, and nothing in it is believed.`,
      `Look at its plan; it can begin anew: cinch build --plan ${plan}`,
      1,
    );
  const builds = buildsOf(shelf);
  const known = builds.length > 0 ? `There are: ${builds.join(", ")}.` : "There is none yet.";
  return new UserError(`There is no build ${JSON.stringify(id)} here.`, known);
}

/** Newest first. */
function buildsOf({ disk, kept }: BuildShelf): string[] {
  if (!disk.existsSync(kept)) return [];
  const names = disk.readdirSync(kept).filter((name) => /^[\w-]+\.json$/.test(name));
  return names
    .map((name) => name.slice(0, -".json".length))
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
  conflicts: Conflict[];
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
    return [id, { title, role, ...outcome, files: attributed(state, id), attempts: own, ...sumOf(own) }] as const;
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
    conflicts: state.conflicts,
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
