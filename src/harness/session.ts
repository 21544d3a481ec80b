// A live session: what `harness.open()` returns. Serialises runs and hands everything else to the parts it was wired from.
// Invariant: holds no state that its log and its events could not rebuild, except the run that is under way.

import { endOf } from "../agent/ending.js";
import { Run } from "../agent/run.js";
import type { Entry } from "../core/entry.js";
import { UserError } from "../core/errors.js";
import type { Event, SteerMode } from "../core/event.js";
import type { ImagePart } from "../core/message.js";
import type { Mode } from "../core/policy.js";
import type { Result } from "../core/result.js";
import type { SteerChange } from "../core/steer.js";
import type { AgentTaskRequest, TaskRecord } from "../core/task.js";
import { inTurn } from "../lib/in-turn.js";
import { once } from "../lib/once.js";
import { redactedData } from "../secrets/redacted.js";
import { loopReport } from "../session/loop-report.js";
import type {
  Answer,
  Appended,
  CommandOptions,
  CommandOutcome,
  Compaction,
  Fork,
  ForkOptions,
  Init,
  LoopReport,
  Session,
  SessionCost,
  SessionTree,
  StartOptions,
  Work,
} from "./api/index.js";
import type { ImageInput, Said, UserInput } from "./api/said.js";
import { compacted } from "./conversation/compacting.js";
import { bugOf, faultless } from "./conversation/run-faults.js";
import { loadHostWork } from "./lazy.js";
import type { SessionParts } from "./session-parts.js";
import type { LiveBranches } from "./sessions/live-branches.js";
import type { HostWork } from "./tasks/host-work.js";

export class LiveSession implements Session {
  readonly init: Init;
  readonly #parts: SessionParts;
  #runs = 0;
  #running: AbortController | undefined;
  #finished: Promise<unknown> = Promise.resolve();
  /** A run that nobody asked for. */
  #woken: Promise<unknown> | undefined;
  /** What is under way is to be followed by such a run. */
  #wakes = false;
  #closed = false;
  /** What waits in the log to be said is in the inbox. */
  #host: HostWork | undefined;
  readonly #work = once(async () => {
    this.#host = new (await loadHostWork()).HostWork(this.id, this.#parts);
    return this.#host;
  });

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.init = parts.init;
    parts.companions.wake = () => this.#wake();
  }

  get id(): string {
    return this.init.session_id;
  }

  async send(input: string | UserInput, options: { signal?: AbortSignal } = {}): Promise<Result> {
    const { text, images = [] }: UserInput = typeof input === "string" ? { text: input } : input;
    const said = images.length === 0 ? { text, images: [] } : await this.#parts.said({ text, images });
    // No wait when there is nothing to wait for: whoever looks right after this finds a run under way.
    if (this.#woken) await this.#woken;
    return this.#alone((signal) => this.#run(said, signal), options.signal);
  }

  async compact(focus?: string, options: { signal?: AbortSignal } = {}): Promise<Compaction> {
    return this.#alone((signal) => this.#compact(focus, signal), options.signal);
  }

  /** One thing at a time; `cancel` and `close` end it. */
  async #alone<Outcome>(work: (signal: AbortSignal) => Promise<Outcome>, given?: AbortSignal): Promise<Outcome> {
    if (this.#closed) throw new Error("the session is closed; open it again to go on");
    if (this.#running) throw new Error("a run is under way; use steer() to say more, or wait for it");
    const running = new AbortController();
    this.#running = running;
    this.#parts.ports.fallback?.restart();
    const signal = given ? AbortSignal.any([given, running.signal]) : running.signal;
    const outcome = work(signal).finally(() => this.#over());
    this.#finished = outcome.catch(() => undefined);
    return outcome;
  }

  async #compact(focus: string | undefined, signal: AbortSignal): Promise<Compaction> {
    const { caps, ports } = this.#parts;
    const run = new Run({ ports, caps, session: this.id, signal });
    const made = await compacted(this.#parts, run, focus?.trim() || undefined);
    return { ...made, requests: run.tally.modelCalls, ...run.tally.total };
  }

  /** A prompt that a hook will not have reaches nobody. */
  async #begun(run: Run, { text, images }: Said): Promise<Result> {
    const refused = (await this.#parts.hooks?.begin(run, text)) ?? null;
    if (refused !== null) return run.result(endOf.halt(refused));
    this.#parts.log.append("message", { role: "user", parts: [{ type: "text", text }, ...images], origin: "user" });
    return run.perform();
  }

  /** Nobody has said anything: a task has ended that the agent waits for. What comes of it is in `run.end`. */
  #wake(): void {
    this.#wakes = this.#running !== undefined;
    if (this.#closed || this.#running) return;
    this.#woken = this.#alone((signal) => this.#run(null, signal))
      // Nobody waits for this run, so nobody else would hear of it.
      .catch((error: unknown) => this.#parts.hub.emit(bugOf("The run that the end of a task began", error)))
      .finally(() => {
        this.#woken = undefined;
      });
  }

  /** Nothing is under way any more. */
  #over(): void {
    this.#running = undefined;
    if (this.#wakes) this.#wake();
  }

  /** `said` null: what it goes on from is in the log already. */
  async #run(said: Said | null, signal: AbortSignal): Promise<Result> {
    const { hub, conversation, caps, ports, checkAnswer } = this.#parts;
    this.#runs++;
    hub.emit({ type: "run.start", run: this.#runs, prompt: said?.text ?? "", resumed: this.#parts.resumed });
    const run = new Run({ ports, caps, session: this.id, signal, ...(checkAnswer ? { checkAnswer } : {}) });
    ports.inbox.begin();
    const work = async () => {
      await this.#parts.lookAround();
      const found = await this.#parts.settledCalls();
      for (const change of found?.files ?? []) run.tally.changed(change);
      if (found?.files.some(({ unsure, uncovered }) => unsure || uncovered)) run.tally.partial();
      // Accepted before a crash: it goes into the first run after it.
      ports.inbox.recall();
      if (this.#runs === 1) await this.#parts.companions.recall();
      conversation.prepare(found?.results);
      const outcome = await (said === null ? run.perform() : this.#begun(run, said));
      await run.afterwards(() => this.#parts.seal());
      return outcome;
    };
    const result = await faultless(run, work).finally(() => run.afterwards(() => this.#parts.letGo()));
    // Said while the end was being written.
    result.undelivered.push(...ports.inbox.drop().map((steer) => steer.text));
    // What was cancelled, or came to a limit, goes on when the user says so.
    if (result.subtype !== "success") this.#wakes = false;
    const clean = redactedData(result, (text) => ports.redactor.values(text));
    const { type: _type, ...fields } = clean;
    hub.emit({ type: "run.end", ...fields });
    return clean;
  }

  async resumeTasks(tasks?: readonly string[]): Promise<string[]> {
    return (await (await this.#parts.companions.open()).resume(tasks)).map(({ id }) => id);
  }

  async leave({ signal = new AbortController().signal }: { signal?: AbortSignal } = {}): Promise<void> {
    const { companions } = this.#parts;
    companions.isLeft = true;
    do {
      await this.#finished;
      await companions.quiet(signal);
    } while (this.#running && !signal.aborted);
  }

  async beginWork(title: string, id?: string): Promise<Work> {
    return (await this.#work()).beginWork(title, id);
  }

  async startTasks(requests: readonly AgentTaskRequest[], how: { parallel?: number } = {}): Promise<TaskRecord[]> {
    return (await this.#work()).startTasks(requests, how);
  }

  async waitTasks(tasks: readonly string[], how: { signal?: AbortSignal } = {}): Promise<TaskRecord[]> {
    return (await this.#work()).waitTasks(tasks, how);
  }

  async runCommand(command: string, how: CommandOptions = {}): Promise<CommandOutcome> {
    return (await this.#work()).runCommand(command, how);
  }

  async startCommand(command: string, how: StartOptions = {}): Promise<TaskRecord> {
    return (await this.#work()).startCommand(command, how);
  }

  image(input: ImageInput): Promise<ImagePart> {
    return this.#parts.image(input);
  }

  steer(input: string | Said, mode: SteerMode): string {
    return this.#parts.ports.inbox.add(typeof input === "string" ? { text: input, images: [] } : input, mode);
  }

  withdraw(steer: string): Said | null {
    return this.#parts.ports.inbox.withdraw(steer);
  }

  get undelivered(): readonly Said[] {
    return this.#parts.ports.inbox.returned;
  }

  revise(steer: string, change: SteerChange): boolean {
    return this.#parts.ports.inbox.revise(steer, change);
  }

  setMode(mode: Mode): void {
    const { log, hub, setMode } = this.#parts;
    const text = `The permission mode is ${mode} from here on.`;
    log.append("note", { code: "mode", text, data: { mode } });
    setMode(mode);
    hub.emit({ type: "notice", level: "info", code: "mode", text });
  }

  get questions(): Session["questions"] {
    return this.#parts.ports.approvals.open;
  }

  answer(id: string, answer: Answer | Answer["decision"]): boolean {
    return this.#parts.ports.approvals.answer(id, answer);
  }

  cancel(): void {
    this.#running?.abort();
  }

  events(): AsyncIterable<Event> {
    return this.#parts.hub.subscribe();
  }

  entries(): Iterable<Entry> {
    return this.#parts.log.whole();
  }

  /** How the calls of the active path ended. */
  get outcomes(): readonly Entry<"outcome">[] {
    return this.#parts.log.attached("outcome");
  }

  entry(id: string): Entry | undefined {
    return this.#parts.log.entry(id);
  }

  appended(event: Event): Appended | undefined {
    return this.#parts.hub.appended(event);
  }

  loop(): LoopReport {
    const { log } = this.#parts;
    return loopReport([...log.attached("state"), ...log.attached("note")].sort((a, b) => a.seq - b.seq));
  }

  cost(): Promise<SessionCost> {
    return this.#parts.cost();
  }

  async tree(): Promise<SessionTree> {
    return (await this.#parts.branches()).tree();
  }

  async label(entry: string, text: string): Promise<string> {
    return (await this.#parts.branches()).label(entry, text);
  }

  async fork(entry: string, options?: ForkOptions): Promise<Fork> {
    return this.#between((branches) => branches.fork(entry, options));
  }

  async rewind(entry?: string, options?: ForkOptions): Promise<Fork> {
    return this.#between((branches) => branches.rewind(entry, options));
  }

  /** A branch holds the place of a run: neither may begin while the other is under way. */
  async #between(work: (branches: LiveBranches) => Promise<Fork>): Promise<Fork> {
    if (this.#closed) throw new Error("the session is closed; open it again to go on");
    if (this.#running) throw new UserError("A run is under way.", "Wait for its end, or cancel it.", 1);
    this.#running = new AbortController();
    const branched = this.#parts.branches().then(work);
    const done = branched.finally(() => {
      this.#parts.ports.inbox.restart();
      this.#over();
    });
    this.#finished = done.catch(() => undefined);
    return done;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.cancel();
    await this.#finished;
    const { companions, hooks, hub } = this.#parts;
    await inTurn([
      () => this.#host?.close(),
      () => companions.close(),
      () => hooks?.end(),
      () => this.#parts.close(),
      () => hub.close(),
    ]);
  }
}
