// The agents of a build: tasks of its session that bear its id, so that whoever resumes finds all of them.
// Invariant: an attempt that was interrupted goes on in its own conversation; one that has ended is never done again.

import { Cancelled, UserError } from "../core/errors.js";
import { isSettled, type TaskRecord } from "../core/task.js";
import type { AgentTaskRequest, Harness, Session } from "../index.js";

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

  async #found({ task, kind }: Pick<CrewRequest, "task" | "kind">): Promise<TaskRecord | undefined> {
    const brief = (await this.records()).findLast(
      ({ metadata = {} }) =>
        metadata["round"] === this.#round && metadata["task"] === task && metadata["kind"] === kind,
    );
    return brief && this.#harness.tasks.show(brief.id);
  }

  /** Does the work, or takes it from where it was left. @throws Cancelled when the build is paused */
  async work({ task, kind, ...request }: CrewRequest): Promise<TaskRecord> {
    if (this.#signal.aborted) throw new Cancelled("paused");
    const before = await this.#found({ task, kind });
    if (before && isSettled(before.state) && before.state !== "interrupted" && before.state !== "cancelled")
      return before;
    const id = (before && (await this.#resumed(before))) ?? (await this.#begun({ task, kind, ...request }));
    const [ended] = await this.#session.waitTasks([id], { signal: this.#signal });
    if (!ended || !isSettled(ended.state) || ended.state === "interrupted" || this.#signal.aborted)
      throw new Cancelled("paused");
    return ended;
  }

  async #resumed({ id, state }: TaskRecord): Promise<string | null> {
    if (!isSettled(state)) return id;
    if (state !== "interrupted") return null;
    try {
      await this.#session.resumeTasks([id]);
      return id;
    } catch (error) {
      // Its conversation is gone: it is given anew.
      if (error instanceof UserError) return null;
      throw error;
    }
  }

  async #begun({ task, kind, ...request }: CrewRequest): Promise<string> {
    const metadata = { build: this.#build, round: this.#round, task, kind };
    const [started] = await this.#session.startTasks([{ kind: "agent", ...request, metadata }]);
    if (!started) throw new Error("a task was started and is not there");
    return started.id;
  }
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
