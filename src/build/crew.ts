// The agents of a build: tasks of its session that bear its id, so that whoever resumes finds all of them.
// Invariant: an attempt that was interrupted, ended by a pause or by a limit on all of it goes on in its own conversation; one
// that has ended by itself is never done again.

import { Cancelled, UserError } from "../core/errors.js";
import { isSettled, type TaskRecord } from "../core/task.js";
import type { AgentTaskRequest, Harness, Session } from "../index.js";
import { goOnBrief } from "./brief.js";

export interface CrewRequest extends Omit<AgentTaskRequest, "kind" | "metadata"> {
  /** Task of the plan, or "" for work on the build itself. */
  task: string;
  /** Why it is asked for: `first`, `stub`, … Unique within its task. */
  kind: string;
}

export class Crew {
  readonly #harness: Harness;
  readonly #session: Session;
  readonly #build: string;
  readonly #round: number;
  readonly #signal: AbortSignal;

  constructor(build: string, round: number, at: { harness: Harness; session: Session; signal: AbortSignal }) {
    this.#build = build;
    this.#round = round;
    this.#harness = at.harness;
    this.#session = at.session;
    this.#signal = at.signal;
  }

  /** All that were ever asked for, oldest first. */
  async records(): Promise<TaskRecord[]> {
    return recordsOf(this.#harness, this.#build);
  }

  /** The attempt that was made for this before. `newest`: nobody has worked on its task since. */
  async #found({ task, kind }: Pick<CrewRequest, "task" | "kind">): Promise<Before | undefined> {
    const own = (await this.records()).filter(
      ({ metadata = {} }) => metadata["round"] === this.#round && metadata["task"] === task,
    );
    const brief = own.findLast(({ metadata = {} }) => metadata["kind"] === kind);
    return brief && { record: await this.#harness.tasks.show(brief.id), newest: brief.id === own.at(-1)?.id };
  }

  /** Does the work, or takes it from where it was left. @throws Cancelled when the build is paused */
  async work({ task, kind, ...request }: CrewRequest): Promise<TaskRecord> {
    if (this.#signal.aborted) throw new Cancelled("paused");
    const before = await this.#found({ task, kind });
    if (before && hasEnded(before)) return before.record;
    const id =
      (before && (await this.#resumed(before.record, { task, kind, ...request }))) ??
      (await this.#begun({ task, kind, ...request }));
    const [ended] = await this.#session.waitTasks([id], { signal: this.#signal });
    if (!ended || !isSettled(ended.state) || ended.state === "interrupted" || this.#signal.aborted)
      throw new Cancelled("paused");
    return ended;
  }

  /** Null: its conversation is gone, and it is given anew. */
  async #resumed({ id, state }: TaskRecord, request: CrewRequest): Promise<string | null> {
    if (!isSettled(state)) return id;
    try {
      if (state !== "interrupted") return await this.#begun({ ...request, prompt: goOnBrief, continues: id });
      await this.#session.resumeTasks([id]);
      return id;
    } catch (error) {
      if (error instanceof UserError) return null;
      throw error;
    }
  }

  /** Ends every agent of the build that is at work. */
  async stop(): Promise<void> {
    const open = (await this.records()).filter(({ state }) => !isSettled(state));
    await Promise.all(open.map(({ id }) => this.#harness.tasks.cancel(id)));
  }

  async #begun({ task, kind, ...request }: CrewRequest): Promise<string> {
    const metadata = { build: this.#build, round: this.#round, task, kind };
    const [started] = await this.#session.startTasks([{ kind: "agent", ...request, metadata }]);
    if (!started) throw new Error("a task was started and is not there");
    return started.id;
  }
}

interface Before {
  record: TaskRecord;
  newest: boolean;
}

/** By itself. One that used up a budget and was not judged yet was ended from outside: by the limit on the whole. */
function hasEnded({ record: { state, error }, newest }: Before): boolean {
  if (!isSettled(state) || state === "interrupted" || state === "cancelled") return false;
  return !(newest && state === "failed" && error?.kind === "budget");
}

/** All that were ever asked for by a build, oldest first; of those that have ended without prompt and answer. */
export async function recordsOf(harness: Pick<Harness, "tasks">, build: string): Promise<TaskRecord[]> {
  const all = await harness.tasks.list();
  return all.filter(({ metadata }) => metadata?.["build"] === build).reverse();
}

/** US dollars, as far as prices are known: what every attempt of a build has cost so far. */
export async function spentOn(harness: Pick<Harness, "tasks">, build: string): Promise<number> {
  return (await recordsOf(harness, build)).reduce((sum, { cost }) => sum + (cost ?? 0), 0);
}
