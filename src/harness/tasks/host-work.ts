// What the program that opened a session does in it itself, without a model: tasks it gives to agents, commands it runs.
// Invariants: a command goes the way of any call (hooks, decision, approval, intent, sandbox, witness, outcome), so it can do
// nothing that a model could not; what agents use counts against the limits of the session; nothing outlives the session.
// Not here: what becomes of a task (agent-runner.ts). A note in the log stands where the message of a model would.

import { type Settled, settle } from "../../agent/call.js";
import { apply, prepare, resolve } from "../../agent/dispatch.js";
import { Run } from "../../agent/run.js";
import { Refusal, UserError } from "../../core/errors.js";
import type { JsonObject } from "../../core/json.js";
import type { CallPart } from "../../core/message.js";
import { type AgentTaskRequest, ownCalls, type TaskRecord } from "../../core/task.js";
import type { ToolDescriptor } from "../../core/tool.js";
import { workNote } from "../../files/undo/history.js";
import type { CommandOptions, CommandOutcome, OwnWork, StartOptions, Work } from "../api/work.js";
import type { SessionParts } from "../session-parts.js";

type Parts = Pick<SessionParts, "ports" | "caps" | "companions" | "seal">;

/** What the tool for commands takes at most. */
const longest = 600_000;

export class HostWork implements OwnWork {
  readonly #session: string;
  readonly #parts: Parts;
  readonly #closing = new AbortController();
  /** Counts what agents use and change that work for no run, and what commands change. */
  #counting: Run | undefined;
  /** Commands, one after another. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(session: string, parts: Parts) {
    this.#session = session;
    this.#parts = parts;
  }

  async beginWork(title: string, id?: string): Promise<Work> {
    const { log, hashOf } = this.#parts.ports;
    log.append("note", { code: workNote, text: title, ...(id === undefined ? {} : { data: { id } }) });
    const { tally } = this.#count();
    return {
      async done() {
        if (hashOf) await tally.settle(hashOf);
        return { files: tally.files(), coverage: tally.coverage, permission_denials: [...tally.denials] };
      },
    };
  }

  #count(): Run {
    this.#counting = new Run({ ...this.#parts, session: this.#session, signal: this.#closing.signal });
    return this.#counting;
  }

  async startTasks(
    requests: readonly AgentTaskRequest[],
    { parallel }: { parallel?: number } = {},
  ): Promise<TaskRecord[]> {
    this.#counting ?? this.#count();
    const tasks = await this.#parts.companions.open();
    return asUserError(async () => {
      const plans = [];
      for (const request of requests) plans.push(await tasks.plan(request));
      return tasks.submit(plans, {
        call: `${ownCalls}${this.#parts.ports.ids.next()}`,
        ...(parallel === undefined ? {} : { maxParallel: parallel }),
      });
    });
  }

  async waitTasks(ids: readonly string[], { signal }: { signal?: AbortSignal } = {}): Promise<TaskRecord[]> {
    const tasks = await this.#parts.companions.open();
    const until = this.#until(signal);
    return asUserError(() => tasks.wait(ids, { signal: until }));
  }

  runCommand(command: string, options: CommandOptions = {}): Promise<CommandOutcome> {
    const done = this.#last.then(() => this.#command(command, options));
    this.#last = done.catch(() => undefined);
    return done;
  }

  async startCommand(command: string, { title, detach, metadata, signal }: StartOptions = {}): Promise<TaskRecord> {
    const input = {
      ...{ kind: "shell", command },
      ...(title === undefined ? {} : { title }),
      ...(detach ? { detach } : {}),
      ...(metadata === undefined ? {} : { metadata }),
    };
    const settled = await this.#call((tool) => tool.verb === "start" && tool.alias === "Bash", input, signal);
    const id = settled.status === "ok" && settled.view?.type === "task" ? settled.view.id : undefined;
    if (id === undefined)
      throw new UserError(`${JSON.stringify(command)} was not started: ${settled.text}`, undefined, 1);
    return (await this.#parts.companions.open()).find(id);
  }

  async #command(command: string, { timeoutMs, signal }: CommandOptions): Promise<CommandOutcome> {
    const seconds = timeoutMs === undefined ? {} : { timeout_seconds: Math.ceil(Math.min(timeoutMs, longest) / 1_000) };
    const settled = await this.#call((tool) => tool.verb === "run", { command, ...seconds }, signal);
    const { status, text, exit = null } = settled;
    const files = settled.files.filter(({ before, after, mode }) => before !== after || mode);
    return { status, text, exit, files };
  }

  /** One call of the program's own. Its note in the log stands where the message of a model would. */
  async #call(isMeant: (tool: ToolDescriptor) => boolean, input: JsonObject, signal?: AbortSignal): Promise<Settled> {
    const { ports, caps, seal } = this.#parts;
    const id = `${ownCalls}${ports.ids.next()}`;
    const tool = ports.tools.descriptors.find(isMeant);
    const call: CallPart = { type: "call", id, tool: tool?.name ?? "none", input };
    // What agents use meanwhile is not this call's.
    const { beside: _beside, ...own } = ports;
    const run = new Run({ ports: own, caps, session: this.#session, signal: this.#until(signal) });
    if (!tool) return settle(call, call.tool, "denied", "No command may be run in this session.");
    if (run.signal.aborted) return settle(call, call.tool, "cancelled", "Not run: it was cancelled.");
    try {
      const note = ports.log.append("note", { code: "command", text: String(input["command"]) });
      const found = await resolve(run, call);
      const ready = "status" in found ? found : await prepare(run, found);
      const settled = "status" in ready ? ready : await apply(run, ready, note.id);
      this.#counted(run, settled);
      const text = ports.redactor.all(settled.text);
      const { status, exit = null, view, ms } = settled;
      ports.log.append("outcome", { call: id, tool: tool.name, status, files: [...settled.files], exit }, note.id);
      const event = { type: "call.end", call: id, tool: tool.name, status, text, ms: Math.round(ms) } as const;
      ports.emit(view ? { ...event, view } : event);
      await seal();
      return { ...settled, text };
    } catch (error) {
      // A log that cannot be written is a fact of the world.
      if (!(error instanceof UserError)) throw error;
      return settle(call, call.tool, "unknown", error.message);
    }
  }

  /** What the command did is part of the work under way. */
  #counted({ tally }: Run, { files }: Settled): void {
    const work = this.#counting?.tally;
    for (const change of files) work?.changed(change, true);
    for (const denial of tally.denials) work?.denied(denial);
    if (tally.coverage === "partial") work?.partial();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#last;
  }

  #until(signal: AbortSignal | undefined): AbortSignal {
    return signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal;
  }
}

/** What a model would be refused with is told to the program. */
async function asUserError<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) throw new UserError(error.message, undefined, 1);
    throw error;
  }
}
