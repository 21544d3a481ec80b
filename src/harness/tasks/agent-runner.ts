// Does the work of a task of kind agent: a session of its own, from the task's prompt to its answer.
// Invariants: whatever becomes of the session, there is one outcome with a reason, in bounded time: it is ended when it says
// nothing for too long, and given up when it does not end. What it used is counted above while it goes on (agent/beside.ts).
// A task that was interrupted goes on in its own session; nothing that may have been done is done again by itself.

import { join } from "node:path";
import { Refusal, UserError } from "../../core/errors.js";
import { textOf, type Usage } from "../../core/message.js";
import type { Result } from "../../core/result.js";
import { isSettled, type TaskError, type TaskRecord } from "../../core/task.js";
import { replaceFile } from "../../lib/atomic-file.js";
import { agentFileOf } from "../../session/store.js";
import { type TaskControl, TaskEnd, type TaskOutcome, type TaskRunner } from "../../tasks/queue.js";
import { loadProjectCopy } from "../lazy.js";
import { openSession } from "../open.js";
import type { LiveSession } from "../session.js";
import { movedTo } from "../surroundings.js";
import { changesOf } from "./changes.js";
import { childSurroundings } from "./child.js";
import type { Child, Kin } from "./kin.js";
import { ownsOf } from "./owning.js";
import type { ProjectCopy } from "./project-copy.js";
import { Pulse } from "./pulse.js";

export interface AgentRunnerOptions {
  /** The sessions that are open. */
  kin: ReadonlyMap<string, Kin>;
  /** A task that this one waited for. */
  find(id: string): TaskRecord | undefined;
}

/** Of silence: so many times what a stream may be silent, so that the provider's own watch comes first. */
const stallFactor = 3;
/** How long a session that was told to end may take for it. Milliseconds. */
const endingMs = 5_000;
/** Characters of an earlier task's answer that a later one is told. */
const maxEarlier = 4_000;

class Stalled extends Error {}

export class AgentRunner implements TaskRunner {
  readonly #options: AgentRunnerOptions;

  constructor(options: AgentRunnerOptions) {
    this.#options = options;
  }

  async run(record: TaskRecord, control: TaskControl): Promise<TaskOutcome> {
    const above = this.#options.kin.get(record.owner.session);
    if (!above) return failed("spawn", "The session it was started by is closed.");
    let opened: Opened;
    try {
      opened = await open(record, above, (id) => this.#mayGoOn(id));
    } catch (error) {
      if (error instanceof Refusal) return failed("spawn", error.message);
      if (error instanceof UserError) return failed("spawn", `${error.message} ${error.fix ?? ""}`.trim());
      throw error;
    }
    let outcome: TaskOutcome | undefined;
    try {
      outcome = await this.#work(record, opened, control);
      const { copy } = opened;
      return copy && outcome.state !== "interrupted" ? await withPatch(outcome, copy, opened.above, record) : outcome;
    } finally {
      await within(endingMs, opened.session.close());
      if (outcome?.state !== "interrupted") opened.copy?.remove();
    }
  }

  #mayGoOn(id: string): boolean {
    const state = this.#options.find(id)?.state;
    return state !== undefined && (state === "interrupted" || !isSettled(state));
  }

  async #work(record: TaskRecord, { session, kin, copy }: Opened, control: TaskControl): Promise<TaskOutcome> {
    const stalled = new AbortController();
    const { settings } = kin.at;
    const pulse = new Pulse({
      patience: settings.limits.stall * 1_000 * stallFactor,
      stalled: () => stalled.abort(new Stalled()),
    });
    const deaf = kin.hub.hear((event) => {
      pulse.hear(event);
      control.heartbeat();
    });
    const signal = AbortSignal.any([control.signal, stalled.signal]);
    try {
      const result = await bounded(session.send(this.#promptOf(record, session), { signal }), signal);
      if (!result) return { ...endOf(signal.reason), session: session.id };
      const files = copy ? {} : { files: changesOf(session, result.files) };
      return { ...outcomeOf(result, signal), ...files, session: session.id };
    } finally {
      pulse.stop();
      deaf();
    }
  }

  #promptOf(record: TaskRecord, session: LiveSession): string {
    const { prompt: wanted = "" } = record;
    if (record.continues ? hasHeard(session, record) : hasBegun(session)) return goOn;
    const earlier = record.dependsOn.flatMap((id) => {
      const { agent = "", title, result = "" } = this.#options.find(id) ?? {};
      return result === "" ? [] : [`## ${agent || title} (task ${id})\n${result.slice(0, maxEarlier)}`];
    });
    const known = earlier.length === 0 ? [] : [`# Answers of the tasks before this one\n${earlier.join("\n\n")}`];
    return [wanted, ...known].join("\n\n");
  }
}

/** A process may have ended between the first line of the log and the prompt. */
function hasBegun(session: LiveSession): boolean {
  for (const { type } of session.entries()) if (type === "message") return true;
  return false;
}

/** Was this said for this task, in a conversation that had begun before? An earlier task may have said the same there. */
function hasHeard(session: LiveSession, { prompt = "", created }: TaskRecord): boolean {
  for (const { type, time, data } of session.entries())
    if (type === "message" && time >= created && data.origin === "user" && textOf(data).startsWith(prompt)) return true;
  return false;
}

const goOn =
  "Your work on this task was interrupted: the process ended. What you had done stands. Look at what is there before you repeat anything, then go on and answer.";

interface Opened {
  session: LiveSession;
  kin: Kin;
  above: Kin;
  /** It works in a copy of the project. */
  copy: ProjectCopy | undefined;
}

async function open(record: TaskRecord, above: Kin, isOpen: (task: string) => boolean): Promise<Opened> {
  const agent = await (await above.agents()).find(record.agent ?? "");
  const { model, limits, outputSchema: output, bounds = {} } = record;
  const from = { task: record.id, call: record.owner.call, session: record.session };
  const child: Child = { ...from, agent, above, model, limits, output, bounds };
  const { at, told } = childSurroundings(child);
  const alone = record.worktree === true || agent.isolation === "worktree";
  const kept = keptOf(record, above);
  const wanted = { task: record.id, goesOn: kept !== undefined, isOpen };
  const copy = alone ? await (await loadProjectCopy()).copyProject(above.at, wanted) : undefined;
  try {
    const place = copy ? movedTo(at, copy) : at;
    const session = await openSession(place, kept === undefined ? {} : { resume: kept }, child);
    for (const text of told) above.hub.emit({ type: "notice", level: "warning", code: "agents", text });
    const kin = above.at.kin.get(session.id);
    if (!kin) throw new Error("a session that is open is not known");
    kin.owns = ownsOf(record.bounds?.owns, place.cwd);
    return { session, kin, above, copy };
  } catch (error) {
    if (kept === undefined) copy?.remove();
    throw error;
  }
}

/** Its conversation is on disk: it was interrupted, and goes on. */
function keptOf({ session }: TaskRecord, { at, file }: Kin): string | undefined {
  return session !== undefined && at.disk.existsSync(agentFileOf(file, session)) ? session : undefined;
}

/** Characters of a patch that stand in the answer; all of it is in a file that the agent above may read. */
const maxPatch = 4_000;

async function withPatch(
  outcome: TaskOutcome,
  copy: ProjectCopy,
  { at, session }: Kin,
  { id }: TaskRecord,
): Promise<TaskOutcome> {
  let patch: string;
  try {
    patch = await copy.patch();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { ...outcome, state: "failed", error: { kind: "agent", text: error.message } };
  }
  if (patch === "") return { ...outcome, result: `${outcome.result ?? ""}\n\nIt changed nothing.` };
  const directory = join(at.state, "spill", session);
  const file = join(directory, `${id}.patch`);
  at.disk.mkdirSync(directory, { recursive: true, mode: 0o700 });
  await replaceFile(at.disk, file, patch, { mode: 0o600, sync: false });
  const shown = patch.length > maxPatch ? "" : `\n${patch}`;
  return { ...outcome, result: `${outcome.result ?? ""}\n\nIts changes, as a patch for git apply: ${file}${shown}` };
}

/** Undefined: it was told to end and did not. */
function bounded(work: Promise<Result>, signal: AbortSignal): Promise<Result | undefined> {
  const given = new Promise<undefined>((resolve) => {
    const giveUp = () => setTimeout(() => resolve(undefined), endingMs).unref();
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
  });
  return Promise.race([work, given]);
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}

function outcomeOf(result: Result, signal: AbortSignal): TaskOutcome {
  const used = { usage: usageOf(result), cost: result.total_cost_usd, result: result.result };
  if (result.subtype === "success") {
    const value = result.structured_output;
    return { ...used, state: "succeeded", ...(value === undefined ? {} : { value }) };
  }
  if (result.subtype === "error_cancelled") return { ...used, ...endOf(signal.reason) };
  return { ...used, state: "failed", error: errorOf(result) };
}

function errorOf({ subtype, detail = "It ended without an answer." }: Result): TaskError {
  if (subtype === "error_max_turns" || subtype === "error_budget") return { kind: "budget", text: detail };
  if (subtype === "error_denied") return { kind: "denied", text: detail };
  if (detail.startsWith("schema: ")) return { kind: "schema", text: detail.slice("schema: ".length) };
  return { kind: "agent", text: detail };
}

/** Why it was ended from outside. */
function endOf(reason: unknown): TaskOutcome {
  if (reason instanceof Stalled) return failed("timeout", "It gave no sign of life for too long and was ended.");
  const why = reason instanceof TaskEnd ? reason.why : "cancelled";
  if (why === "timeout") return failed("timeout", "Its time was up.");
  if (why === "closing") return { state: "interrupted", error: { kind: "crash", text: "Cinch ended while it ran." } };
  return { state: "cancelled" };
}

function failed(kind: TaskError["kind"], text: string): TaskOutcome {
  return { state: "failed", error: { kind, text } };
}

function usageOf({ usage }: Result): Usage {
  return {
    input: usage.input_tokens,
    output: usage.output_tokens,
    cacheRead: usage.cache_read_input_tokens,
    cacheWrite: usage.cache_creation_input_tokens,
  };
}
