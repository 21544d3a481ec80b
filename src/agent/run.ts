// One run: from an input of the user until the controller stops. Drives the loop, delivers steering, names the end.
// Invariant: every change of the controller's state is an entry and an event; whatever happens, one Result comes out.

import { messageOf, UserError } from "../core/errors.js";
import { longestTimer } from "../core/ids.js";
import type { ImagePart, Message, Origin } from "../core/message.js";
import type { FileChange } from "../core/plan.js";
import type { Result } from "../core/result.js";
import { RunningTimer } from "../lib/running-timer.js";
import { type BudgetNotice, nearing, reachedByTurn } from "./budget.js";
import type { Settled } from "./call.js";
import { type Controller, type ControllerCaps, created, type RunInput, step } from "./controller.js";
import { type Ending, endOf, nearlySpent } from "./ending.js";
import { finishHeld, finishTasks } from "./finish.js";
import type { Steer } from "./inbox.js";
import { type LoopEnd, loop } from "./loop.js";
import type { AgentPorts } from "./ports.js";
import type { Circle, Recovery } from "./recovery.js";
import { resultOf } from "./run-result.js";
import { Tally } from "./tally.js";
import { undoneBy } from "./undone.js";

/** What the final answer must satisfy; `reminder` is sent once when it does not. */
export type AnswerCheck = (
  text: string,
) => Promise<{ ok: true; value: Result["structured_output"] } | { ok: false; reminder: string }>;

export interface RunOptions {
  ports: AgentPorts;
  caps: ControllerCaps;
  session: string;
  signal: AbortSignal;
  checkAnswer?: AnswerCheck;
}

export class Run {
  readonly ports: AgentPorts;
  readonly tally: Tally;
  /** Set when a call was not run because its budget is used up: the run then ends, after the results are written. */
  refusedFor: BudgetNotice | null = null;
  /** Only one more text is asked for; no call is run any more. */
  closing = false;
  /** Aborted by the user, or by the time budget. */
  readonly signal: AbortSignal;
  readonly #options: RunOptions;
  readonly #abort = new AbortController();
  readonly #started: number;
  #controller: Controller = created;
  #ending: Ending = { type: "cancelled" };
  #warned = new Set<string>();
  /** Loaded with the first calls. */
  #recovery: Recovery | undefined;
  /** What the run leaves broken was listed to the model. */
  #listed = false;
  #structured: Result["structured_output"];
  /** How the run ends, as soon as that is known. */
  #end: LoopEnd | null = null;
  readonly #troubles = new Set<string>();

  constructor(options: RunOptions) {
    this.#options = options;
    this.ports = options.ports;
    this.#started = this.ports.clock.mono();
    const { clock, beside, limits } = this.ports;
    const prices = () => this.ports.model.facts.prices;
    this.tally = new Tally(prices, () => clock.mono() - this.#started, beside);
    beside?.watch(() => reachedByTurn(this.tally.spent(), limits));
    this.signal = AbortSignal.any([options.signal, this.#abort.signal]);
  }

  /** Before a model request: its own budget that is used up, or one of those it works for. */
  over(): BudgetNotice | null {
    const { beside, limits } = this.ports;
    return reachedByTurn(this.tally.spent(), limits) ?? beside?.overAbove() ?? null;
  }

  /** Why the signal was aborted. */
  ending(): Ending {
    return this.#ending;
  }

  /** The user's text is already an entry when this is called. */
  async perform(): Promise<Result> {
    if (this.signal.aborted) return this.result(this.#terminal({ type: "cancel" }, endOf.abort(this.#ending)));
    const timer = this.#watchTime();
    try {
      this.ports.unfinished?.begin();
      this.ports.companions?.start();
      this.#step({ type: "begin" });
      const end = await this.#ended();
      await this.afterwards(() => finishHeld(this));
      await this.afterwards(() => finishTasks(this));
      const { hashOf } = this.ports;
      if (hashOf) await this.afterwards(() => this.tally.settle(hashOf));
      return this.result(await this.#explained(end));
    } finally {
      timer?.end();
    }
  }

  /** In place of an answer that did not come, what is known. A result without it is better than none. */
  async #explained(end: LoopEnd): Promise<LoopEnd> {
    if (end.detail === undefined || end.text.trim() !== "") return end;
    const known = await import("./known.js").catch(() => null);
    return known ? { ...end, text: known.whatIsKnown(end.detail, this.ports.log.path(), this.tally) } : end;
  }

  /** Once it is known how the run ends, whatever fails is a notice: the answer is paid for and is not lost to it. */
  async #ended(): Promise<LoopEnd> {
    try {
      return await this.#follow();
    } catch (error) {
      if (!this.#end) throw error;
      this.trouble(error);
      return this.#end;
    }
  }

  /** Does something that is due when it is known how the run ends. */
  async afterwards(work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.trouble(error);
    }
  }

  /** Tells the user, once, what failed without changing how the run ends. */
  trouble(error: unknown): void {
    const text = `The result is complete, but not everything could be saved: ${messageOf(error)}`;
    if (this.#troubles.has(text)) return;
    this.#troubles.add(text);
    const fix = error instanceof UserError && error.fix ? ` ${error.fix}` : "";
    this.ports.emit({ type: "notice", level: "error", code: "unsaved", text: `${text}${fix}` });
  }

  async #follow(): Promise<LoopEnd> {
    for (;;) {
      this.#end = null;
      const end = await this.#answered(await loop(this));
      this.#end = end;
      if (end.subtype === "error_cancelled") return this.#terminal({ type: "cancel" }, end);
      if (end.subtype !== "success") return this.#terminal({ type: "fail" }, end);
      const undone = this.ports.inbox.size > 0 ? null : await undoneBy(this.ports, this.tally);
      if (undone !== null && this.#mayRepair()) {
        this.remind(`${undone} Mend them, or say why they are so.`);
        continue;
      }
      const task = this.ports.inbox.size === 0 && (await this.ports.companions?.goOn(this.signal)) === true;
      const retry = task || this.signal.aborted || this.#isSteered() ? null : await this.#hookRetry();
      // Also while hooks were asked: an answer that they were kept from judging is no success.
      if (this.signal.aborted) {
        return this.#terminal({ type: "cancel" }, { ...endOf.abort(this.#ending), text: end.text });
      }
      const settled = { steers: this.ports.inbox.size, task, hookRetry: retry !== null };
      switch (this.#step({ type: "settled", ...settled })) {
        case "steer":
          this.#deliver(this.ports.inbox.next);
          break;
        case "task":
          this.ports.companions?.deliver();
          break;
        case "hook_retry":
          // It is no answer as long as a hook does not let it pass.
          this.#end = null;
          this.say(retry?.prompt ?? "", "hook");
          break;
        default:
          if (undone !== null) this.ports.emit({ type: "notice", level: "warning", code: "undone", text: undone });
          return end;
      }
    }
  }

  /** What the user has said goes on next, whatever a hook would say. */
  #isSteered(): boolean {
    const settled = { type: "settled", steers: this.ports.inbox.size, task: false, hookRetry: false } as const;
    return step(this.#controller, settled, this.#options.caps).action === "steer";
  }

  async #hookRetry(): Promise<{ prompt: string } | null> {
    return (await this.ports.stopHook?.(this)) ?? null;
  }

  /** Something has changed this file. `byCommand`: a look after a command has found it. */
  changed(change: FileChange, byCommand = false): void {
    this.tally.changed(change, byCommand);
    this.ports.observer?.changed(change);
  }

  /** Once per run, and not when the next request would end it for its budget: an answer is there already. */
  #mayRepair(): boolean {
    if (this.#listed || this.over()) return false;
    this.#listed = true;
    return true;
  }

  /** Holds a success against the schema of the answer, with one repair round. */
  async #answered(end: LoopEnd): Promise<LoopEnd> {
    const check = this.#options.checkAnswer;
    if (!check || end.subtype !== "success") return end;
    const first = await check(end.text);
    if (first.ok) return this.#keep(end, first.value);
    this.remind(first.reminder);
    const again = await loop(this);
    if (again.subtype !== "success") return again;
    const second = await check(again.text);
    if (second.ok) return this.#keep(again, second.value);
    return { subtype: "error_during_execution", text: again.text, detail: `schema: ${second.reminder}` };
  }

  #keep(end: LoopEnd, value: Result["structured_output"]): LoopEnd {
    this.#structured = value;
    return end;
  }

  #terminal(input: RunInput, end: LoopEnd): LoopEnd {
    this.#step(input);
    return end;
  }

  #step(input: RunInput) {
    const from = this.#controller.state;
    const { next, action } = step(this.#controller, input, this.#options.caps);
    if (next === this.#controller) return action;
    this.#controller = next;
    const counts = this.tally.counts(next.hookRetries, this.ports.inbox.size);
    this.ports.log.append("state", { from, to: next.state, action, counts: { ...counts } });
    this.ports.emit({ type: "state.change", from, to: next.state, action, counts });
    return action;
  }

  /** Something was thrown out of the run. When that is the log's fault, it cannot take this state either. */
  abandon(): void {
    const from = this.#controller.state;
    try {
      this.#step({ type: "fail" });
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      const { state: to, hookRetries } = this.#controller;
      const counts = this.tally.counts(hookRetries, this.ports.inbox.size);
      this.ports.emit({ type: "state.change", from, to, action: null, counts });
    }
  }

  /** Steering with `now`, and what hooks and other agents have to say: into the request that is about to be made. */
  deliverNow(): void {
    for (const text of this.ports.hooks?.takeContext() ?? []) this.say(text, "hook");
    for (const steer of this.ports.inbox.now) this.#deliver(steer);
    this.ports.companions?.deliver();
    const announced = this.ports.announced?.() ?? "";
    if (announced !== "") this.say(announced, "task");
  }

  /** Message and receipt are one write: it is never there twice, and never gone. */
  #deliver(steer: Steer | undefined): void {
    if (!steer) return;
    const { inbox, log } = this.ports;
    log.appendAll([{ type: "message", data: said(steer.text, "user", steer.images) }, inbox.receipt(steer)]);
    inbox.delivered(steer);
  }

  /** Looks whether the run goes round in circles, and reminds the model if so; non-null when it has to end for it. */
  async circling(settled: readonly Settled[]): Promise<Circle | null> {
    const { log, emit, tools, loop } = this.ports;
    const [{ Recovery }, { roundOf }] = await Promise.all([import("./recovery.js"), import("./round.js")]);
    this.#recovery ??= new Recovery(loop);
    const verdict = this.#recovery.judge(roundOf(settled, this.tally.revision, (tool) => tools.find(tool)));
    if (verdict.kind === "on") return null;
    const { shape, count } = verdict.finding;
    if (verdict.kind === "nudge") {
      const data = { n: verdict.n, shape, count };
      emit({ type: "loop.nudge", ...data });
      this.remind(verdict.text);
      log.append("note", { code: "loop.nudge", text: `${shape}, ${count} rounds`, data });
      return null;
    }
    emit({ type: "loop.stop", shape, count });
    log.append("note", { code: "loop.stop", text: verdict.text, data: { shape, count } });
    return verdict;
  }

  /** A message of the harness to the model; in the log like any other. */
  remind(text: string): void {
    this.say(text, "harness");
  }

  say(text: string, origin: Origin): void {
    this.ports.log.append("message", said(text, origin));
  }

  /** Ends what is under way; what lies beyond a timer's reach is still checked before each request and call. */
  #watchTime(): RunningTimer | undefined {
    const limit = this.ports.limits.time;
    if (limit === undefined || limit * 1000 > longestTimer) return undefined;
    return new RunningTimer(limit * 1000, () => {
      this.#ending = { type: "budget", notice: { what: "time", used: limit, limit } };
      this.#abort.abort();
    });
  }

  /** Tells user and model, once per budget, that most of it is used. */
  warn(): void {
    for (const notice of nearing(this.tally.spent(), this.ports.limits)) {
      if (this.#warned.has(notice.what)) continue;
      this.#warned.add(notice.what);
      this.ports.emit({ type: "budget.warn", ...notice });
      this.remind(nearlySpent(notice));
    }
  }

  /** The result object of a run that ended like this. */
  result(end: LoopEnd): Result {
    const { inbox, limits, companions, clock } = this.ports;
    return resultOf(end, {
      session: this.#options.session,
      ms: clock.mono() - this.#started,
      tally: this.tally,
      limits,
      tasks: companions?.listed() ?? [],
      undelivered: inbox.drop().map((steer) => steer.text),
      structured: this.#structured,
    });
  }
}

function said(text: string, origin: Origin, images: readonly ImagePart[] = []): Message {
  return { role: "user", parts: [{ type: "text", text }, ...images], origin };
}
