// What was found wrong, with whoever has to mend it: who that is, how often it is sent back, and what becomes of it.
// Invariants: sent back twice at most; what nobody may mend any more has failed; what is with its agents is on disk before
// they hear of it.
// Not here: what is looked at (verify/), one agent's attempt (task-work.ts), when all this happens (engine.ts).

import type { TaskRecord } from "../core/task.js";
import { attributed, conflictLine } from "./attribution.js";
import { mayWrite } from "./formation.js";
import type { PlanTask } from "./plan.js";
import type { BuildState } from "./state.js";
import { mendTask, roleOf, type TaskSite } from "./task-work.js";

const maxCycles = 2;

/** Something that is wrong, and what is known of whose it is. */
export interface Found {
  task?: string;
  file?: string;
  what: string;
}

export class Mending {
  readonly #site: TaskSite;
  readonly #state: BuildState;
  readonly #save: () => Promise<void>;

  constructor(site: TaskSite, state: BuildState, save: () => Promise<void>) {
    this.#site = site;
    this.#state = state;
    this.#save = save;
  }

  /** What programs of others changed is its owner's to look at, once. */
  disputed(): Found[] {
    const fresh = this.#state.conflicts.filter(({ known, sent }) => known && !sent);
    for (const each of fresh) each.sent = true;
    return fresh.map((each) => ({ task: each.of, what: conflictLine(each) }));
  }

  /** Whose own checks fail after they were to mend something. */
  unmended(): Found[] {
    const tasks = Object.entries(this.#state.tasks);
    return tasks.flatMap(([task, { status, why = "" }]) => (status === "failed" ? [{ task, what: why }] : []));
  }

  /** To whoever has to mend it; false when that was done often enough, or nobody can: then those it is up to have failed. */
  async sendBack(found: readonly Found[]): Promise<boolean> {
    const state = this.#state;
    const shares = new Map<string, string[]>();
    for (const each of found) {
      const task = this.#responsible(each);
      if (task) shares.set(task.id, [...(shares.get(task.id) ?? []), each.what]);
    }
    const again = shares.size > 0 && state.cycles < maxCycles;
    for (const [id, what] of shares) {
      const { files, answer } = state.tasks[id] ?? { files: [], answer: "" };
      const rest = { found: what, files, answer };
      state.tasks[id] = again ? { status: "mending", ...rest } : { status: "failed", why: what.join("; "), ...rest };
      if (again) this.#site.tell(id, `sent back: ${what.map((each) => each.split("\n", 1)[0]).join("; ")}`);
    }
    if (again) state.cycles++;
    await this.#save();
    return again;
  }

  /** What is with its agents, also since before a kill. One after another: what one mends, the next one sees. */
  async mend(): Promise<void> {
    const state = this.#state;
    const kind = state.cycles === 0 ? "mend" : `mend ${state.cycles}`;
    for (const task of this.#site.plan.tasks) {
      const outcome = state.tasks[task.id];
      if (outcome?.status !== "mending") continue;
      const last = lastOf(await this.#site.crew.records(), task.id, kind);
      if (last === undefined) throw new Error(`${task.id} was done, and nobody has worked on it`);
      const mended = await mendTask(this.#site, task, { kind, last, outcome });
      state.tasks[task.id] = mended;
      await this.#save();
      if (mended.why !== undefined) this.#site.tell(task.id, `not mended: ${mended.why.split("\n", 1)[0]}`);
    }
  }

  /** Who made it, as far as that is known and may write; else the last one that may. */
  #responsible({ task, file }: Found): PlanTask | undefined {
    const { plan, formation } = this.#site;
    const able = plan.tasks.filter((each) => mayWrite(roleOf(formation, each)));
    const state = this.#state;
    return (
      able.find(({ id }) => id === task) ??
      able.find(({ files }) => file !== undefined && files.includes(file)) ??
      able.findLast(({ id }) => attributed(state, id).some(({ path, unsure }) => path === file && !unsure)) ??
      able.at(-1)
    );
  }
}

/** The newest conversation about a task, before this attempt. */
function lastOf(records: readonly TaskRecord[], task: string, kind: string): string | undefined {
  return records.findLast(({ metadata }) => metadata?.["task"] === task && metadata["kind"] !== kind)?.id;
}
