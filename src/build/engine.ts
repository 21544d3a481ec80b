// Carries out a plan: tasks as early as what they wait for allows, then the checks, what they find back to whoever made it, and
// the reviewer. Everything that ends is on disk before the next thing begins, so the same call goes on after a kill.
// Invariants: what a failed task blocks is never begun; the outcome is what was checked last, and no task with which something was
// found wrong stands as done.
// Not here: one task (task-work.ts), what is found wrong and sent back (mending.ts), what is looked at (verify/), who judges
// (gate.ts), what is shown (cli/).

import { Cancelled } from "../core/errors.js";
import type { FileChange } from "../core/plan.js";
import { attributed, conflictLine, conflictsOf } from "./attribution.js";
import type { Upstream } from "./brief.js";
import { merged, standing } from "./changes.js";
import { fitting, laneOf } from "./lanes.js";
import { Mending } from "./mending.js";
import type { PlanTask } from "./plan.js";
import type { Evidence, JudgeBuild, Level, Previews, RunCommand, Verdict, VerifyBuild } from "./ports.js";
import type { BuildRecord } from "./record.js";
import { type BuildState, endedTasks, type Failure, type TaskOutcome, type TaskStatus } from "./state.js";
import { roleOf, type TaskSite, workOn } from "./task-work.js";
import { dependencies, outlook, type Progress } from "./waves.js";

export type BuildNews =
  | { type: "task"; task: string; state: "started" | TaskStatus; what: string; left: number }
  | { type: "note"; task: string; what: string }
  | { type: "check"; evidence: Evidence }
  | { type: "verdict"; verdict: Verdict };

export interface EngineParts {
  record: BuildRecord;
  site: Omit<TaskSite, "tell">;
  /** Null: not wanted. */
  verify: VerifyBuild | null;
  judge: ((changed: readonly string[], evidence: readonly Evidence[]) => ReturnType<JudgeBuild>) | null;
  previews: Previews;
  news(news: BuildNews): void;
}

const levels: readonly Level[] = ["L1", "L2", "L3", "L4"];

export class BuildEngine {
  readonly #parts: EngineParts;
  readonly #site: TaskSite;
  readonly #mending: Mending;
  readonly #running = new Map<string, Promise<void>>();

  constructor(parts: EngineParts) {
    this.#parts = parts;
    const run: RunCommand = async (command, options = {}) => {
      const end = await parts.site.run(command, options);
      await this.#witnessed(options.task, end.files ?? []);
      return end;
    };
    this.#site = { ...parts.site, run, tell: (task, what) => parts.news({ type: "note", task, what }) };
    this.#mending = new Mending(this.#site, parts.record.state, () => this.#save());
  }

  /** @throws Cancelled when it was paused; what has ended by then stands */
  async run(): Promise<void> {
    const { state } = this.#parts.record;
    if (state.outcome !== "open") return;
    await this.#waves();
    const open = Object.entries(state.tasks).filter(([id]) => progressOf(state, id) !== "done");
    if (open.length > 0)
      return this.#failed("tasks", open.map(([id, { status, why }]) => `${id} is ${status}: ${why}`).join("\n"));
    await this.#checks();
  }

  async #waves(): Promise<void> {
    const { plan, formation } = this.#site;
    const needs = dependencies(plan.tasks, formation);
    try {
      for (;;) {
        const { ready, blocked } = outlook(needs, (id) => this.#progress(id));
        for (const { id, by } of blocked)
          await this.#settle(id, { status: "blocked", why: `it waits for ${by.join(", ")}`, files: [], answer: "" });
        const lane = (id: string) => laneOf(roleOf(formation, this.#task(id)).model, this.#site.model);
        for (const id of fitting(ready, lane, [...this.#running.keys()].map(lane)))
          this.#running.set(id, this.#work(id, needs));
        if (this.#running.size === 0) return;
        await Promise.race(this.#running.values());
      }
    } catch (error) {
      // Whatever goes on is waited for, so that nothing is written behind the end.
      await Promise.allSettled(this.#running.values());
      throw error;
    }
  }

  #progress(id: string): Progress {
    return this.#running.has(id) ? "running" : progressOf(this.#parts.record.state, id);
  }

  async #work(id: string, needs: ReadonlyMap<string, readonly string[]>): Promise<void> {
    const task = this.#task(id);
    this.#parts.news({ type: "task", task: id, state: "started", what: task.title, left: this.#left() });
    try {
      await this.#settle(id, await workOn(this.#site, task, this.#upstream(id, needs)));
    } finally {
      this.#running.delete(id);
    }
  }

  /** Everything it stands on, directly or not, in the order of the plan. */
  #upstream(id: string, needs: ReadonlyMap<string, readonly string[]>): Upstream[] {
    const behind = new Set<string>();
    const add = (each: string): void => {
      for (const before of needs.get(each) ?? []) {
        if (behind.has(before)) continue;
        behind.add(before);
        add(before);
      }
    };
    add(id);
    const { state } = this.#parts.record;
    return this.#site.plan.tasks.flatMap((task) => {
      const outcome = behind.has(task.id) ? state.tasks[task.id] : undefined;
      return outcome ? [{ task, outcome: { ...outcome, files: attributed(state, task.id) } }] : [];
    });
  }

  async #settle(id: string, outcome: TaskOutcome): Promise<void> {
    const { record, news } = this.#parts;
    // In the round before it may have changed something as well.
    const before = standing(this.#site.ground, record.state.tasks[id]?.files ?? []);
    const { state } = record;
    state.tasks[id] = { ...outcome, files: merged(before, outcome.files) };
    const conflicts = conflictsOf(state, id, this.#site.ground);
    state.conflicts.push(...conflicts);
    for (const each of conflicts) this.#site.tell(each.task, conflictLine(each));
    await this.#save();
    news({
      type: "task",
      task: id,
      state: outcome.status,
      what: outcome.why ?? this.#task(id).title,
      left: this.#left(),
    });
  }

  #left(): number {
    const { state } = this.#parts.record;
    return state.plan.tasks.length - endedTasks(state);
  }

  async #checks(): Promise<void> {
    const { record, verify, judge, news, previews } = this.#parts;
    const { state } = record;
    const { signal, ground, plan, run } = this.#site;
    for (;;) {
      await this.#mending.mend();
      if (signal.aborted) throw new Cancelled("paused");
      const evidence = verify
        ? await verify({
            project: record.root,
            root: ground.root,
            plan,
            buildDir: record.directory,
            levels,
            run,
            previews,
            signal,
          })
        : [];
      // What a pause has ended says nothing of what was looked at.
      if (signal.aborted) throw new Cancelled("paused");
      state.evidence = evidence;
      for (const each of evidence) news({ type: "check", evidence: each });
      const wrong = state.evidence.filter(({ ok, unchecked }) => !ok && !unchecked);
      await this.#save();
      const found = [
        ...wrong.map((each) => ({ ...each, what: evidenceLine(each) })),
        ...this.#mending.unmended(),
        ...this.#mending.disputed(),
      ];
      if (found.length > 0) {
        if (await this.#mending.sendBack(found)) continue;
        return this.#failed(wrong.length > 0 ? "verify" : "tasks", found.map(({ what }) => what).join("\n"));
      }
      if (signal.aborted) throw new Cancelled("paused");
      state.verdict = judge ? await judge(this.#changed(), state.evidence) : null;
      if (state.verdict) news({ type: "verdict", verdict: state.verdict });
      await this.#save();
      if (state.verdict?.verdict !== "FAIL") return this.#end("done", null);
      const findings = state.verdict.findings.map(({ file, line, what }) => ({
        ...(file === undefined ? {} : { file }),
        what: `${placeOf(file, line)}${what}`,
      }));
      if (!state.verdict.none && (await this.#mending.sendBack(findings))) continue;
      return this.#failed("gate", findings.map(({ what }) => what).join("\n"));
    }
  }

  #changed(): string[] {
    const { state } = this.#parts.record;
    const files = Object.keys(state.tasks).flatMap((id) => attributed(state, id));
    return [...new Set(files.map(({ path }) => path))].sort();
  }

  #task(id: string): PlanTask {
    const task = this.#site.plan.tasks.find((each) => each.id === id);
    if (!task) throw new Error(`there is no task ${id}`);
    return task;
  }

  #failed(detail: Failure["detail"], why: string): Promise<void> {
    return this.#end("failed", { detail, why });
  }

  async #end(outcome: "done" | "failed", failure: Failure | null): Promise<void> {
    const { state } = this.#parts.record;
    state.outcome = outcome;
    if (failure) state.failure = failure;
    else delete state.failure;
    await this.#save();
  }

  /** On disk before anything else: a command that is run again after a kill finds its changes made. */
  async #witnessed(task: string | undefined, files: readonly FileChange[]): Promise<void> {
    if (task === undefined || files.length === 0) return;
    const { record } = this.#parts;
    const { commands } = record.state;
    commands[task] = [...(commands[task] ?? []), ...files.map((each) => ({ ...each, byCommand: true as const }))];
    await record.save();
  }

  async #save(): Promise<void> {
    const { record } = this.#parts;
    await record.save();
    await record.manifest(await this.#site.crew.records());
  }
}

/** As what waits for it sees it: what was found wrong later blocks nothing any more, for that has been done by then. */
function progressOf({ tasks }: BuildState, id: string): Exclude<Progress, "running"> {
  const { status, found } = tasks[id] ?? { status: "todo" as const, found: undefined };
  if (status === "todo") return "todo";
  return status === "done" || found !== undefined ? "done" : "failed";
}

function evidenceLine({ level, file, line, what }: Evidence): string {
  return `${level} ${placeOf(file, line)}${what}`;
}

function placeOf(file: string | undefined, line: number | undefined): string {
  return file === undefined ? "" : `${file}${line === undefined ? "" : `:${line}`}: `;
}
