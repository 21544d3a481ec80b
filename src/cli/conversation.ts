// One session from the command line: a single run, or as many as control lines on stdin ask for.
// Invariants: a result is printed after the last event of its run; every control line is acknowledged once; a question
// that nobody can answer any more, because input has ended, is answered with no.

import { messageOf, UserError } from "../core/errors.js";
import type { Event, SteerMode } from "../core/event.js";
import type { Result } from "../core/result.js";
import type { Session, UserInput } from "../index.js";
import type { Control } from "./control.js";
import type { Desk } from "./desk.js";
import type { Format } from "./format.js";
import { watchYoungGeneration } from "./heap.js";
import { linesOf } from "./lines.js";
import type { Notes } from "./notes.js";
import type { CalledSlash } from "./slash/index.js";
import type { SlashAnswer, SlashContext } from "./slash/slash.js";
import { watchLoop } from "./stall.js";
import { refused, toldNothing, withModel, withoutModel } from "./unasked.js";
import type { ProgressLine } from "./views/progress.js";
import { remark } from "./views/remarks.js";

type RunEnd = Extract<Event, { type: "run.end" }>;

export interface ConversationParts {
  /** With an open session. */
  desk: Desk;
  format: Format;
  notes: Notes;
  progress: ProgressLine | undefined;
  verbose: boolean;
}

export class Conversation {
  readonly #parts: ConversationParts;
  #session: Session;
  readonly #listening: Promise<void>[] = [];
  #runEnded: () => void = () => {};
  readonly #stopping = new AbortController();
  #running = false;
  /** A run is under way that nobody asked for: a task has ended. */
  #woken = false;
  /** Only the last result is printed. */
  #holds = false;
  /** A slash command is under way. */
  #commanding: AbortController | undefined;
  /** Of the newest run. */
  #last: Result | undefined;
  #inputOver = false;
  readonly #prompts: UserInput[] = [];
  readonly #questions = new Set<string>();
  #wake: () => void = () => {};

  constructor(parts: ConversationParts) {
    this.#parts = parts;
    this.#session = this.#enter(parts.desk.session);
  }

  /** The newest result, when every session of this conversation has closed and its last event has been shown; there is one. */
  async ended(): Promise<Result> {
    await Promise.all(this.#listening);
    if (!this.#last) this.#answer(toldNothing(this.#session.id, this.#isStopped));
    return this.#last as Result;
  }

  /** The newest result, when there is one: what is left to say if nothing else can be done. */
  get last(): Result | undefined {
    return this.#last;
  }

  /** Only the last result is printed, and it has not been. */
  get holds(): boolean {
    return this.#holds;
  }

  #enter(session: Session): Session {
    this.#listening.push(this.#listen(session));
    return session;
  }

  /** One prompt, and nobody behind it: what becomes of agents that it let go on belongs to it, and there is one result. */
  async once(text: string): Promise<void> {
    this.#holds = true;
    await this.#run({ text });
    if (!this.#isStopped) await this.#leave();
    // Events wait for nothing but their turn, so by then all have been shown.
    await new Promise(setImmediate);
    this.#holds = false;
    if (this.#last) this.#said(this.#last);
  }

  /** A prompt that begins with a slash command is answered here; any other goes to the model. */
  async #run(input: UserInput): Promise<void> {
    const { text, images = [] } = input;
    const called = /^\s*\//.test(text) ? await (await import("./slash/index.js")).findSlash(text) : null;
    if (called && images.length > 0) await this.#refuse(this.#session, new UserError("Commands take no images."));
    else await (called ? this.#command(called) : this.#ask(input));
  }

  async #command({ slash, argument, words }: CalledSlash): Promise<void> {
    const { desk } = this.#parts;
    const { harness, session, dirs } = desk;
    const commanding = new AbortController();
    this.#commanding = commanding;
    const signal = AbortSignal.any([this.#stopping.signal, commanding.signal]);
    const front = { quit: () => this.stop(), hears: !this.#holds };
    const tell = (text: string) => this.#parts.notes.add(text);
    const reopen: SlashContext["reopen"] = (change) => desk.reopen(change).finally(() => this.#entered());
    await slash.run({ harness, session, dirs, argument, words, front, reopen, signal, tell }).then(
      (answer) => this.#answered(answer),
      (error: unknown) => this.#refuse(session, error),
    );
    this.#commanding = undefined;
  }

  async #refuse({ id }: Session, error: unknown): Promise<void> {
    this.#answer(refused(id, error));
  }

  /** Nothing of this is in the session, so the event is the front end's own; the format numbers it. */
  #answer(result: Result): void {
    const { type: _type, ...fields } = result;
    const frame = { seq: 0, session: this.#session.id, agent: "main", time: new Date().toISOString() };
    this.#parts.format.event({ type: "run.end", ...fields, ...frame }, this.#session);
    this.#said(result);
  }

  async #answered({ text, session, asked }: SlashAnswer): Promise<void> {
    if (session) this.#parts.desk.take(session);
    this.#entered();
    const { id } = this.#session;
    this.#answer(asked ? withModel(id, text, asked) : withoutModel(id, text));
  }

  /** Listens to the session that the conversation goes on in. */
  #entered(): void {
    const { session } = this.#parts.desk;
    if (session !== this.#session) this.#session = this.#enter(session);
  }

  async #ask(input: UserInput): Promise<void> {
    const session = this.#session;
    this.#running = true;
    const lastEvent = new Promise<void>((resolve) => {
      this.#runEnded = resolve;
    });
    // What looks at images is loaded for images alone.
    const sent = session.send(input.images?.length ? input : input.text);
    if (this.#isStopped) session.cancel();
    const result = await sent
      .catch((error: unknown) => this.#refuse(session, error))
      .finally(() => {
        this.#running = false;
      });
    if (!result) return;
    await lastEvent;
    this.#said(result);
  }

  #said(result: Result): void {
    this.#last = result;
    if (this.#holds) return;
    this.#parts.progress?.clear();
    this.#parts.format.result(result);
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Runs what `user` lines ask for, one after the other, until input ends and no agent is at work. */
  async control(input: AsyncIterable<Uint8Array>, first: string | undefined): Promise<void> {
    if (first !== undefined && first.trim() !== "") this.#prompts.push({ text: first });
    const reading = this.#read(input);
    while (!this.#isStopped) {
      const prompt = this.#prompts.shift();
      if (prompt !== undefined && this.#isOver) void this.#leave();
      if (prompt !== undefined) await this.#run(prompt);
      else if (this.#inputOver) break;
      else await this.#somethingNew();
    }
    if (this.#inputOver) await reading;
    if (!this.#isStopped) await this.#leave();
  }

  get busy(): boolean {
    return this.#running;
  }

  /** What a terminal that has attached says. @throws UserError when no run is under way that could hear it */
  hear(text: string, mode: SteerMode): string {
    if (this.#running) return this.#session.steer(text, mode);
    throw new UserError("No run is under way, and what drives this session begins none.");
  }

  /** Ends the run that is under way and starts no other. */
  stop(): void {
    this.#stopping.abort();
    this.#session.cancel();
    this.#wake();
  }

  async #listen(session: Session): Promise<void> {
    for await (const event of session.events()) this.#show(event, session);
  }

  #show(event: Event, session: Session): void {
    const { format, notes, progress, verbose } = this.#parts;
    format.event(event, session);
    const said = remark(event, verbose);
    if (said !== null) notes.add(event.agent === "main" ? said : `Task ${event.agent}: ${said}`);
    if (event.type === "call.start") watchLoop();
    if (event.type === "approval.ask") this.#asked(event.id);
    if (event.type === "approval.end") this.#questions.delete(event.id);
    // Of those that work beside it only what they ask and what went wrong is for a person.
    if (event.agent !== "main") return;
    progress?.event(event);
    if (event.type === "run.start") this.#woken = event.prompt === "";
    if (event.type === "run.end") this.#ended(event);
    if (event.type === "turn.start") void watchYoungGeneration(event.turn);
  }

  #ended({ seq: _seq, session: _session, agent: _agent, time: _time, ...result }: RunEnd): void {
    if (this.#woken) this.#said({ ...result, type: "result" });
    else this.#runEnded();
    this.#woken = false;
  }

  #asked(id: string): void {
    this.#questions.add(id);
    if (this.#inputOver) this.#refuseAll();
  }

  #refuseAll(): void {
    for (const id of this.#questions) {
      this.#session.answer(id, { decision: "deny", by: "headless" });
    }
  }

  /** Nothing will be asked for any more. */
  get #isOver(): boolean {
    return this.#inputOver && this.#prompts.length === 0;
  }

  /** Nobody is there any more: agents are waited for, and what the model makes of their ends. */
  async #leave(): Promise<void> {
    await this.#session.leave({ signal: this.#stopping.signal });
  }

  #somethingNew(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  async #read(input: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      const { longestLine, readControl } = await import("./control.js");
      let number = 0;
      for await (const line of linesOf(input, longestLine)) {
        number++;
        const reading = readControl(line);
        this.#parts.format.ack(number, reading.ok ? this.#follow(reading.control) : reading.error);
      }
    } catch (error) {
      this.#parts.notes.add(`Standard input cannot be read any further: ${messageOf(error)}.`);
    }
    this.#inputOver = true;
    if (this.#isOver) void this.#leave();
    this.#refuseAll();
    this.#wake();
  }

  /** Does what a line asks for; returns why not, or null. */
  #follow(control: Control): string | null {
    const session = this.#session;
    switch (control.type) {
      case "user":
        this.#prompts.push({ text: control.text, images: control.images });
        this.#wake();
        return null;
      case "steer":
        if (!this.#running && !this.#woken) return 'nothing is running; send {"type":"user","text":…} instead';
        return steered(session, control);
      case "approval": {
        const { type: _type, id, ...answer } = control;
        const answered = session.answer(id, answer);
        return answered ? null : `no question ${JSON.stringify(id)} is open`;
      }
      case "cancel":
        if (!this.#running && !this.#woken && !this.#commanding) return "nothing is running";
        this.#commanding?.abort();
        session.cancel();
        return null;
    }
  }
}

/** Acknowledged once it is in the log. */
function steered(session: Session, { text, mode }: Extract<Control, { type: "steer" }>): string | null {
  try {
    session.steer(text, mode);
    return null;
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}
