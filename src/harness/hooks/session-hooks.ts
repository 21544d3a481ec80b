// The hooks of one session: what each event tells them, what their answers mean, and what they changed. Made only where there
// are hooks; everything in here is loaded with the first session that has some.
// Invariants: one event at a time, so that what changes while its hooks run is theirs, is kept for undo and is told to the
// model; what a hook says for the model waits until the next request; a warning is never silent.

import type { Ready, Settled } from "../../agent/call.js";
import type { HookVerdict } from "../../agent/hooked.js";
import type { CompactWish, Hooks, Log, Witness } from "../../agent/ports.js";
import type { Run } from "../../agent/run.js";
import { type EntryData, lastOf } from "../../core/entry.js";
import type { Emit } from "../../core/event.js";
import type { HookEvent } from "../../core/hook.js";
import type { JsonObject } from "../../core/json.js";
import { textOf } from "../../core/message.js";
import type { FileChange } from "../../core/plan.js";
import type { ToolDescriptor } from "../../core/tool.js";
import { type Answered, hooksFor, runHooks } from "../../hooks/run.js";
import type { Surroundings } from "../surroundings.js";
import { type CagePermissions, hookCage } from "./cage.js";
import { hookEnvironments, toldHook } from "./environment.js";
import { callOf, compactionOf, namesOf, verdictOf } from "./payload.js";

export interface SessionHooksOptions {
  at: Surroundings;
  /** The one a person talks to: hooks hear of its agents as of parts of it. */
  session: { id: string; file: string };
  /** The agent that works on a task here; null = none. */
  agent: HookedAgent | null;
  /** It goes on with an earlier conversation. */
  resumed: boolean;
  log: Log;
  emit: Emit;
  witness: Witness;
  permissions: CagePermissions;
}

export interface HookedAgent {
  /** Id of its task. */
  id: string;
  type: string;
  /** Its own log. */
  file: string;
}

interface Heard {
  answers: readonly Answered[];
  files: FileChange[];
  /** What the model reads of the files. */
  text: string;
  /** Something that they could have changed was not kept. */
  isPartial: boolean;
}

const nothing: Heard = { answers: [], files: [], text: "", isPartial: false };

/** Longest that a session waits for hooks of its end, in seconds. */
const lastSeconds = 10;

export class SessionHooks implements Hooks {
  halt: string | null = null;
  readonly #options: SessionHooksOptions;
  readonly #environments: ReturnType<typeof hookEnvironments>;
  #waiting: string[] = [];
  /** Changes that are not yet in the log. */
  readonly #records: EntryData["outcome"][] = [];
  /** The message of the run is in the log. */
  #underWay = false;
  #turn: Promise<unknown> = Promise.resolve();
  #started = false;
  /** A Stop hook has sent the agent back to work in this run. */
  #active = false;

  constructor(options: SessionHooksOptions) {
    this.#options = options;
    this.#environments = hookEnvironments(options.at);
  }

  // --- the session ----------------------------------------------------------------------------------------------------

  /** A run is about to begin; returns why it must not, or null. */
  async begin(run: Run, prompt: string): Promise<string | null> {
    this.halt = null;
    this.#active = false;
    this.#underWay = false;
    if (!this.#started) await this.#start(run, this.#options.resumed ? "resume" : "startup");
    if (this.#options.agent) return this.halt;
    const { answers } = await this.#tell(run, "UserPromptSubmit", [], { prompt });
    const refused = answers.find(({ block }) => block !== undefined)?.block ?? this.halt;
    if (refused !== null) this.#record();
    return refused;
  }

  async #start(run: Run, source: string): Promise<void> {
    this.#started = true;
    const { agent } = this.#options;
    if (agent) await this.#tell(run, "SubagentStart", [agent.type], {});
    else await this.#tell(run, "SessionStart", [source], { source, model: run.ports.model.id });
  }

  /** The session closes. */
  async end(): Promise<void> {
    if (!this.#started || this.#options.agent) return;
    this.#started = false;
    const signal = new AbortController().signal;
    await this.#fire("SessionEnd", ["other"], { reason: "other" }, { signal });
  }

  async stop(run: Run): Promise<{ prompt: string } | null> {
    const last = run.ports.log.path().findLast((entry) => entry.type === "message" && entry.data.role === "assistant");
    const text = last?.type === "message" ? textOf(last.data) : "";
    const payload = { stop_hook_active: this.#active, last_assistant_message: text };
    const { agent } = this.#options;
    const { answers } = agent
      ? await this.#tell(run, "SubagentStop", [agent.type], { ...payload, agent_transcript_path: agent.file })
      : await this.#tell(run, "Stop", [], payload);
    const block = answers.find((answer) => answer.block !== undefined)?.block;
    if (block === undefined || this.halt !== null) return null;
    this.#active = true;
    return { prompt: block };
  }

  /** Why the conversation must not be compacted, or null. */
  async beforeCompaction(run: Run, wish: CompactWish): Promise<string | null> {
    const { trigger, ...payload } = compactionOf(wish);
    const { answers } = await this.#tell(run, "PreCompact", [trigger], { trigger, ...payload });
    return answers.find(({ block }) => block !== undefined)?.block ?? this.halt;
  }

  async afterCompaction(run: Run, wish: CompactWish): Promise<void> {
    const { trigger } = compactionOf(wish);
    const summary = lastOf(run.ports.log.path(), "compaction")?.data.summary ?? "";
    await this.#tell(run, "PostCompact", [trigger], { trigger, compact_summary: summary });
    if (!this.#options.agent) await this.#start(run, "compact");
  }

  // --- calls ----------------------------------------------------------------------------------------------------------

  listens(event: HookEvent, tool: ToolDescriptor): boolean {
    return hooksFor(this.#options.at.hooks, event, namesOf(tool)).length > 0;
  }

  async before(
    run: Run,
    ready: Ready,
  ): Promise<HookVerdict & { input?: JsonObject; rewriter?: string; changed: boolean }> {
    const { answers, files } = await this.#tell(run, "PreToolUse", namesOf(ready.descriptor), callOf(ready));
    const rewrites = answers.filter(({ input }) => input !== undefined);
    for (const { name } of rewrites.slice(1))
      this.#warn(name, "another hook rewrote the input first; this rewrite is not used");
    const [first] = rewrites;
    const rewrite = first?.input ? { input: first.input, rewriter: first.name } : {};
    return { ...verdictOf(answers), changed: files.length > 0, ...rewrite };
  }

  async after(run: Run, ready: Ready, settled: Settled): Promise<{ text: string; files: FileChange[] }> {
    const { plan, call, tool, descriptor, started } = ready;
    const { status, text, exit = null, streams } = settled;
    const response = tool.hook?.response?.({ status, text, exit, ...(streams ? { streams } : {}) }, plan) ?? { text };
    const [event, ended] =
      status === "ok"
        ? (["PostToolUse", { tool_response: response }] as const)
        : ([
            "PostToolUseFailure",
            { error: text, is_interrupt: status === "cancelled", tool_response: response },
          ] as const);
    const duration = Math.round(run.ports.clock.mono() - started);
    const payload = { ...callOf(ready), ...ended, duration_ms: duration };
    const heard = await this.#fire(event, namesOf(descriptor), payload, { signal: run.signal, call: call.id });
    const blocks = heard.answers.flatMap(({ name, block }) =>
      block === undefined ? [] : [`[hook ${name}: ${block}]`],
    );
    if (heard.isPartial) run.tally.partial();
    return { text: [...blocks, heard.text].filter((part) => part !== "").join("\n"), files: heard.files };
  }

  async asked(run: Run, ready: Ready, question: string): Promise<HookVerdict | null> {
    const payload = { ...callOf(ready), question };
    const { answers } = await this.#tell(run, "PermissionRequest", namesOf(ready.descriptor), payload);
    const usable = answers.filter(({ name, input, decision }) => {
      const rewrites = input !== undefined && decision === "allow";
      if (rewrites) this.#warn(name, "an answer to a question cannot rewrite the call; it is not used");
      return !rewrites;
    });
    const verdict = verdictOf(usable);
    return verdict.decision === null ? null : verdict;
  }

  async notify(run: Run, message: string): Promise<void> {
    const type = "permission_prompt";
    await this.#tell(run, "Notification", [type], { message, notification_type: type });
  }

  takeContext(): string[] {
    this.#underWay = true;
    this.#record();
    return this.#waiting.splice(0);
  }

  /** What was changed before the user's message stands behind it in the log: it belongs to the run that begins there. */
  #record(): void {
    for (const outcome of this.#records.splice(0)) this.#options.log.append("outcome", outcome);
  }

  // --- events ---------------------------------------------------------------------------------------------------------

  /** For an event that is no call's: what its hooks changed gets a record of its own. */
  async #tell(run: Run, event: HookEvent, names: readonly string[], payload: JsonObject): Promise<Heard> {
    const heard = await this.#fire(event, names, payload, { signal: run.signal });
    for (const change of heard.files) run.changed(change, true);
    if (heard.isPartial) run.tally.partial();
    if (heard.text !== "") this.#waiting.push(`Hooks of ${event} changed files:\n${heard.text}`);
    return heard;
  }

  /** One after the other: `call` names the record that changes belong to. */
  #fire(
    event: HookEvent,
    names: readonly string[],
    payload: JsonObject,
    of: { signal: AbortSignal; call?: string },
  ): Promise<Heard> {
    const hooks = hooksFor(this.#options.at.hooks, event, names);
    if (hooks.length === 0) return Promise.resolve(nothing);
    const done = this.#turn.then(() => this.#run(event, hooks, payload, of));
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #run(
    event: HookEvent,
    hooks: Surroundings["hooks"],
    payload: JsonObject,
    { signal, call }: { signal: AbortSignal; call?: string },
  ): Promise<Heard> {
    const { at, witness } = this.#options;
    const id = call ?? `hook_${at.ids.next()}`;
    const guard = await at.supervision.open();
    await witness.before(id, signal);
    const last = event === "SessionEnd";
    const timed = hooks.map(({ hook, ...candidate }) => {
      return { ...candidate, hook: last ? { ...hook, timeout: Math.min(hook.timeout, lastSeconds) } : hook };
    });
    const cage = hookCage(at, this.#options.permissions);
    const around = { ...at, env: this.#environments, told: toldHook, cage, signal, guard };
    const answers = await runHooks(timed, { ...this.#common(event), ...payload }, around);
    const { files, text, coverage } = await witness.after(id);
    if (call === undefined && files.length > 0) this.#records.push({ call: id, tool: "hook", status: "ok", files });
    if (this.#underWay) this.#record();
    for (const answer of answers) this.#take(event, answer);
    return { answers, files, text, isPartial: coverage === "partial" };
  }

  #common(event: HookEvent): JsonObject {
    const { at, session, agent } = this.#options;
    const mode = at.settings.permissions.mode;
    return {
      session_id: session.id,
      transcript_path: session.file,
      cwd: at.cwd,
      permission_mode: mode === "ask" ? "default" : mode,
      hook_event_name: event,
      ...(agent ? { agent_id: agent.id, agent_type: agent.type } : {}),
    };
  }

  #take(event: HookEvent, { name, hook, context, stop, message, warning, block }: Answered): void {
    const { log, emit } = this.#options;
    if (context !== undefined) this.#waiting.push(`From the hook ${name}:\n${context}`);
    if (stop !== undefined) this.halt ??= stop;
    if (message !== undefined) emit({ type: "notice", level: "warning", code: "hook", text: message });
    if (warning !== undefined) this.#warn(name, `${warning} (${hook.source})`);
    if (deaf.includes(event) && block !== undefined) this.#warn(name, block);
    else if (block !== undefined) log.append("note", { code: "hook.block", text: `${name}: ${block}` });
  }

  #warn(name: string, text: string): void {
    const { log, emit } = this.#options;
    const said = `Hook ${name}: ${text}.`.replace(/\.\.$/, ".");
    log.append("note", { code: "hook.warning", text: said });
    emit({ type: "notice", level: "warning", code: "hook", text: said });
  }
}

export function openHooks({ workspace, ...rest }: Omit<SessionHooksOptions, "witness"> & { workspace: Looking }) {
  return new SessionHooks({ ...rest, witness: workspace.witness });
}

interface Looking {
  witness: Witness;
}

/** Events that cannot be prevented. */
const deaf: readonly HookEvent[] = ["SessionStart", "SessionEnd", "SubagentStart", "Notification", "PostCompact"];
