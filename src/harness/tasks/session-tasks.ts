// The tasks of one session, as its tools have them: planned, submitted, listed, waited for, read and ended.
// Invariants: waiting for a task never ends it; no session ends what another one has asked for, or sees those of another
// project; what another live process owns is never changed, only asked to end.
// Not here: what the conversation is told of all this (telling.ts).

import { Refusal, UserError } from "../../core/errors.js";
import type { Ids } from "../../core/ids.js";
import { noUsage } from "../../core/message.js";
import {
  type Announcement,
  isSettled,
  type OutputRange,
  type TaskFilter,
  type TaskKind,
  type TaskOutput,
  type TaskPlan,
  type TaskRecord,
  type TaskRequest,
  type Tasks,
} from "../../core/task.js";
import type { Fs } from "../../lib/fs.js";
import { within } from "../../lib/paths.js";
import { knownSecrets } from "../../secrets/known.js";
import { outputSize, readOutput } from "../../tasks/output.js";
import { TaskTelling, type TellingOptions } from "./telling.js";

/** One kind of task, as a session starts it. */
export interface TaskTrade {
  /** Reads only, and throws a Refusal that says what is wrong. */
  plan(request: TaskRequest): Promise<TaskPlan>;
  /** What the record of a planned task says beyond what all have. Its runner can expect it from now on under `id`. */
  record(plan: TaskPlan, how: { id: string; byHand: boolean }): Partial<TaskRecord> & { cwd: string };
}

export interface SessionTasksOptions extends TellingOptions {
  root: string;
  ids: Ids;
  disk: Fs;
  /** Opened when the first task of the kind is planned. */
  trades: Readonly<Record<TaskKind, () => Promise<TaskTrade>>>;
  /** For those that work beside this agent. */
  announce(announcement: Announcement): void;
  around(): string[];
  /** Other agents are about to work: what this one merely changed is anybody's again. */
  handOver(): void;
}

export class SessionTasks implements Tasks {
  readonly telling: TaskTelling;
  readonly #options: SessionTasksOptions;

  constructor(options: SessionTasksOptions) {
    this.#options = options;
    this.telling = new TaskTelling(options);
  }

  async plan(request: TaskRequest): Promise<TaskPlan> {
    const trade = await this.#options.trades[request.kind]();
    return trade.plan(request);
  }

  async submit(
    plans: readonly TaskPlan[],
    { call, maxParallel, byHand = false }: { call: string; maxParallel?: number; byHand?: boolean },
  ): Promise<TaskRecord[]> {
    const { hall, ids } = this.#options;
    await hall.settle();
    const names = plans.map(() => ids.next());
    const records: TaskRecord[] = [];
    for (const [place, plan] of plans.entries()) {
      const id = names[place] as string;
      const trade = await this.#options.trades[plan.request.kind]();
      const own = trade.record(plan, { id, byHand });
      records.push(this.#recordOf(plan, { id, call, own, names, place }));
    }
    if (plans.some(({ request }) => request.kind === "agent")) this.#options.handOver();
    await hall.queue.submit(records, maxParallel === undefined ? {} : { parallel: maxParallel });
    return records.map(({ id }) => this.find(id));
  }

  #recordOf(
    { request, summary }: TaskPlan,
    {
      id,
      call,
      own,
      names,
      place,
    }: {
      id: string;
      call: string;
      own: Partial<TaskRecord> & { cwd: string };
      names: readonly string[];
      place: number;
    },
  ): TaskRecord {
    const { hall, session, self } = this.#options;
    const dependsOn = request.kind === "agent" ? (request.dependsOn ?? []) : [];
    const time = request.timeoutMs === undefined ? {} : { time: request.timeoutMs / 1_000 };
    return {
      v: 1,
      id,
      kind: request.kind,
      state: "queued",
      owner: { ...hall.store.here, session, call },
      parent: self?.id ?? null,
      depth: (self?.depth ?? 0) + 1,
      title: request.title ?? summary,
      detach: false,
      labels: request.labels ?? [],
      ...(request.metadata ? { metadata: request.metadata } : {}),
      deadline: null,
      limits: { ...(request.kind === "agent" ? request.limits : {}), ...time },
      dependsOn: dependsOn.map((each) => this.#dependency(each, names, place)),
      ...hall.stamp(),
      started: null,
      ended: null,
      heartbeat: null,
      usage: noUsage,
      cost: null,
      told: false,
      ...own,
    };
  }

  /** Only what was asked for before: so nothing ever waits for itself. */
  #dependency(named: string | number, names: readonly string[], place: number): string {
    if (typeof named === "string") return this.find(named).id;
    const id = named < place ? names[named] : undefined;
    if (id !== undefined) return id;
    throw new Refusal(
      "input",
      `Task ${place} may depend on tasks 0 to ${place - 1} of its batch, not on ${named}. Nothing was started.`,
    );
  }

  list({ kind, states, label, own = true }: TaskFilter = {}): TaskRecord[] {
    return this.#options.hall.queue.list().filter((record) => {
      if (kind !== undefined && record.kind !== kind) return false;
      if (states && !states.includes(record.state)) return false;
      if (label !== undefined && !record.labels.includes(label)) return false;
      return this.#isOwn(record) || (!own && this.#isOfProject(record));
    });
  }

  #isOwn(record: TaskRecord): boolean {
    return this.telling.isOwn(record) || this.#isBelow(record);
  }

  #isOfProject({ cwd }: TaskRecord): boolean {
    return within(this.#options.root, cwd);
  }

  /** Of an agent that this session started, however deep. */
  #isBelow(record: TaskRecord): boolean {
    const seen = new Set<string>();
    for (let at: TaskRecord | undefined = record; at?.parent; at = this.#options.hall.queue.find(at.parent)) {
      if (seen.has(at.id)) return false;
      seen.add(at.id);
      if (this.#options.hall.queue.find(at.parent)?.owner.session === this.#options.session) return true;
    }
    return false;
  }

  find(id: string): TaskRecord {
    const found = this.#options.hall.queue.find(id);
    if (found && (this.#isOwn(found) || this.#isOfProject(found))) return found;
    const known = this.list().slice(0, 10);
    const names = known.map((record) => `${record.id} (${record.title})`).join(", ");
    throw new Refusal(
      "missing",
      `There is no task ${JSON.stringify(id)}. The tasks are: ${names || "none"}. Nothing was done.`,
    );
  }

  own(id: string): TaskRecord {
    const found = this.find(id);
    if (this.#isOwn(found)) return found;
    throw new Refusal("conflict", `Task ${id} (${found.title}) belongs to another session. Nothing was ended.`);
  }

  async wait(
    ids: readonly string[],
    { timeoutMs, signal }: { timeoutMs?: number; signal: AbortSignal },
  ): Promise<TaskRecord[]> {
    const { hall, self } = this.#options;
    for (const id of ids) this.find(id);
    if (self) hall.queue.rest(self.id, true);
    try {
      await this.telling.until(() => ids.every((id) => isSettled(this.find(id).state)), timeoutMs, signal);
    } finally {
      if (self) hall.queue.rest(self.id, false);
    }
    const found = ids.map((id) => this.find(id));
    this.telling.waitedFor(found);
    return found;
  }

  /** Agents of this session that were interrupted go on, each in its own conversation: these, or all. Returns which. */
  async resume(named?: readonly string[]): Promise<TaskRecord[]> {
    const { hall, trades } = this.#options;
    const found = named ? named.map((id) => this.#interrupted(id)) : this.#allInterrupted();
    if (found.length > 0) await trades.agent();
    const going: TaskRecord[] = [];
    for (const { id } of found) going.push(await hall.queue.resubmit(id));
    return going;
  }

  /** Oldest first. */
  #allInterrupted(): TaskRecord[] {
    const found = this.list({ kind: "agent", states: ["interrupted"] });
    return found.filter((record) => this.telling.isOwn(record)).reverse();
  }

  #interrupted(id: string): TaskRecord {
    const record = this.#options.hall.queue.find(id);
    const say = (what: string, fix: string) => new UserError(`Task ${id} ${what}. Nothing was started.`, fix, 1);
    if (!record) throw say("is not there", "`cinch tasks list` shows them.");
    if (record.kind !== "agent") throw say("is a command, and a command begins anew or not at all", "Run it again.");
    if (record.state !== "interrupted") throw say(`is ${record.state}`, "Only what was interrupted goes on.");
    if (this.telling.isOwn(record)) return record;
    const of = `belongs to session ${record.owner.session}`;
    if (record.parent === null) throw say(of, `Go on with that one: cinch --resume ${record.owner.session}.`);
    throw say(`was given by task ${record.parent}`, `Resume that one; it sees what became of its own tasks.`);
  }

  async cancel(ids: readonly string[]): Promise<TaskRecord[]> {
    for (const id of ids) this.own(id);
    await Promise.all(ids.map((id) => this.#options.hall.cancel(id)));
    return ids.map((id) => this.find(id));
  }

  output(id: string, range: OutputRange): TaskOutput {
    const { hall, disk } = this.#options;
    const record = this.find(id);
    if (record.kind === "shell") return readOutput(disk, hall.store.file(id, "log"), range, knownSecrets);
    const text = record.result ?? "";
    const bytes = Buffer.byteLength(text);
    return { text, from: 0, next: bytes, bytes, dropped: 0 };
  }

  async more(
    id: string,
    from: number,
    { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
  ): Promise<void> {
    const { hall, disk } = this.#options;
    const log = hall.store.file(id, "log");
    const isThere = () => outputSize(disk, log) > from || isSettled(this.find(id).state);
    await this.telling.until(isThere, timeoutMs, signal);
  }

  around(): string[] {
    return this.#options.around();
  }

  announce(announcement: Announcement): void {
    const { self, session, announce } = this.#options;
    announce(announcement);
    this.telling.record(self?.id ?? session, { announcement: { ...announcement } });
  }
}
