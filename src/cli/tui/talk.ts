// What becomes of a text that was sent: a slash command answers it here, a run that is under way lets it wait, otherwise it
// begins a run. And the ways to end or change what is under way.
// Invariant: whatever was sent is in the log or its refusal on the screen; a command runs between two runs.

import { messageOf, UserError } from "../../core/errors.js";
import type { Mode } from "../../core/policy.js";
import { modes } from "../../core/policy.js";
import type { Said, Session } from "../../index.js";
import type { Desk, Reopening } from "../desk.js";
import { type CalledSlash, findSlash, nearSlash } from "../slash/index.js";
import type { SlashChoice, SlashFront } from "../slash/slash.js";
import type { Transcript } from "./transcript.js";

export interface TalkParts {
  desk: Desk;
  front: SlashFront;
  transcript(): Transcript;
  /** The conversation goes on elsewhere: in another session, or at another entry. `fresh`: show what was said there. */
  moved(fresh: boolean): void;
  choose(choice: SlashChoice): void;
  draft(said: Said): void;
  refresh(): void;
  /** A run ended or a question came: somebody may look elsewhere. */
  leave(): void;
}

export class Talk {
  readonly #parts: TalkParts;
  #working: Promise<unknown> | null = null;
  #cancelled: AbortController | null = null;

  constructor(parts: TalkParts) {
    this.#parts = parts;
  }

  get busy(): boolean {
    return this.#working !== null;
  }

  /** What the user wrote: a command that was mistyped costs nothing, and is there to be mended. */
  write(said: Said): void {
    const near = nearSlash(said.text);
    if (near === null) return void this.send(said);
    this.#say(near);
    this.#parts.draft(said);
  }

  async send(given: string | Said): Promise<void> {
    const said = spoken(given);
    const called = /^\s*\//.test(said.text) ? await findSlash(said.text) : null;
    if (called && said.images.length > 0) {
      this.#say("Commands take no images.");
      return this.#parts.draft(said);
    }
    if (called) return this.#command(called);
    if (this.busy) return this.steer(said, "queue");
    return this.#work(() => this.#converse(said));
  }

  /** What came too late for a run to deliver begins the next one; after a cancelled run it is the user's again. */
  async #converse(first: Said): Promise<void> {
    const { session } = this.#parts.desk;
    const next = [first];
    for (let said = next.shift(); said !== undefined; said = next.shift()) {
      const { subtype } = await session.send(said).catch((error: unknown) => {
        // Refused before it was written: a model that takes no images.
        if (error instanceof UserError) this.#parts.draft(joined([said as Said, ...next]));
        throw error;
      });
      const { undelivered } = session;
      if (subtype === "success") next.push(...undelivered);
      else if (undelivered.length > 0) this.#parts.draft(joined([...undelivered, ...next]));
      if (subtype !== "success") return;
    }
  }

  steer(said: Said, mode: "now" | "queue"): void {
    if (said.text.trim() === "") return;
    if (!this.busy) return void this.send(said);
    if (this.attempt(() => this.#parts.desk.session.steer(said, mode)) === undefined) this.#parts.draft(said);
  }

  /**
   * Said in another terminal: words for the model whatever they look like. The id of the steering, or null when a run begins with
   * it. Throws UserError when it cannot be taken.
   */
  hear(text: string, mode: "now" | "queue"): string | null {
    if (this.busy) return this.#parts.desk.session.steer(text, mode);
    void this.#work(() => this.#converse(spoken(text)));
    return null;
  }

  /** The newest that waits comes back into the editor. */
  takeBack(): void {
    const newest = this.#parts.transcript().waiting.at(-1);
    const back = newest && this.attempt(() => this.#parts.desk.session.withdraw(newest.id));
    if (back) this.#parts.draft(back);
  }

  /** What waited was read while its user wrote another text for it. */
  tooLate(text: string): void {
    this.#say("The model has that message already, as it was. What you have written is in the editor.");
    this.#parts.draft(spoken(text));
  }

  /** False when nothing was under way. */
  cancel(): boolean {
    if (!this.busy) return false;
    this.#cancelled?.abort();
    this.#parts.desk.session.cancel();
    return true;
  }

  /** The next mode in the row. What was opened for planning alone declares no tool that changes something: it is opened anew. */
  async nextMode(mode: Mode): Promise<Mode | null> {
    const next = modes[(modes.indexOf(mode) + 1) % modes.length] ?? "ask";
    return this.setMode(next);
  }

  async setMode(next: Mode): Promise<Mode | null> {
    const { desk } = this.#parts;
    if (desk.session.init.permission_mode !== "plan" || next === "plan") {
      return this.attempt(() => desk.session.setMode(next)) === undefined ? null : next;
    }
    if (this.busy) {
      this.#say("This session was opened in plan mode; its mode can be changed when the run has ended.");
      return null;
    }
    const before = desk.session;
    await this.#work(async () => void (await this.#reopen({ mode: next })));
    return desk.session === before ? null : next;
  }

  /** Between two runs, as a command is; what it says is shown. */
  async do(work: () => Promise<string>): Promise<void> {
    await this.#working;
    await this.#work(async () => {
      const { desk, moved, transcript } = this.#parts;
      const before = desk.session;
      const text = await work().finally(() => {
        if (desk.session !== before) moved(false);
      });
      transcript().answer(text);
    });
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    await this.#working;
  }

  async #command(called: CalledSlash): Promise<void> {
    const { slash } = called;
    if (this.busy && !slash.anytime) {
      this.#say(`/${slash.name} waits for nobody: cancel what runs, or send it again when it has ended.`);
      return this.#parts.draft(spoken(`/${slash.name}${called.argument && ` ${called.argument}`}`));
    }
    const run = () => this.#run(called);
    return this.busy ? run() : this.#work(run);
  }

  async #run({ slash, argument, words }: CalledSlash): Promise<void> {
    const { desk, front, choose, draft } = this.#parts;
    const before = desk.session;
    const signal = this.#cancelled?.signal ?? new AbortController().signal;
    const { harness, dirs } = desk;
    const tell = (text: string) => {
      this.#parts.transcript().answer(text);
      this.#parts.refresh();
    };
    const context = { harness, dirs, session: before, argument, words, front, signal, tell };
    const reopen = (change: Reopening) => this.#reopen(change);
    const answer = await slash.run({ ...context, reopen });
    // A session that was opened anew is entered by then.
    const taken = answer.session && answer.session !== desk.session ? answer.session : null;
    if (taken) desk.take(taken);
    if (taken || answer.moved) this.#parts.moved(desk.session.id !== before.id);
    if (answer.choice) choose(answer.choice);
    else if (answer.text !== "") this.#parts.transcript().answer(answer.text);
    if (answer.draft !== undefined) draft({ text: answer.draft, images: answer.images ?? [] });
  }

  async #reopen(change: Reopening): Promise<Session> {
    const { desk } = this.#parts;
    const before = desk.session.id;
    try {
      return await desk.reopen(change);
    } finally {
      this.#parts.moved(desk.session.id !== before);
    }
  }

  async #work(work: () => Promise<void>): Promise<void> {
    this.#cancelled = new AbortController();
    const working = work().catch((error: unknown) => {
      if (!(error instanceof UserError)) throw error;
      this.#say(error.fix ? `${error.message}\n${error.fix}` : error.message);
    });
    this.#working = working;
    this.#parts.refresh();
    await working.finally(() => {
      this.#working = null;
      this.#cancelled = null;
      this.#parts.leave();
      this.#parts.refresh();
    });
  }

  /** Undefined when it could not be done; why is said. */
  attempt<Made>(act: () => Made): Made | null | undefined {
    try {
      return act() ?? null;
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      this.#say(messageOf(error));
      return undefined;
    }
  }

  #say(text: string): void {
    this.#parts.transcript().notice("warning", text);
    this.#parts.refresh();
  }
}

function spoken(said: string | Said): Said {
  return typeof said === "string" ? { text: said, images: [] } : said;
}

function joined(all: readonly Said[]): Said {
  return { text: all.map(({ text }) => text).join("\n"), images: all.flatMap(({ images }) => images) };
}
