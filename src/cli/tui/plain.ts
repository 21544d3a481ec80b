// The conversation as plain lines that are never drawn over: for screen readers (ui.screenReader) and dumb terminals. The terminal
// itself edits the line; a block is printed when nothing can change it any more.
// Invariant: a question is answered by a line that was typed after it was printed; lines typed before it are messages.

import { createInterface, type Interface } from "node:readline";
import type { Event } from "../../core/event.js";
import type { Session } from "../../index.js";
import { safeText } from "../../lib/safe-text.js";
import type { Desk } from "../desk.js";
import { writeOut } from "../stdio.js";
import { blockLines } from "./blocks/index.js";
import type { Question } from "./dialogs/approval.js";
import { questionText } from "./question-text.js";
import { textOfLine } from "./span.js";
import { Talk } from "./talk.js";
import { Transcript } from "./transcript.js";

export class PlainApp {
  readonly #desk: Desk;
  readonly talk: Talk;
  readonly #input: Interface;
  #transcript = new Transcript();
  #printed = 0;
  /** Open questions, oldest first: the next line answers the first. */
  readonly #questions: { event: Question; session: Session }[] = [];
  readonly #listening: Promise<void>[] = [];
  readonly #heard = new WeakSet<Session>();

  constructor(desk: Desk) {
    this.#desk = desk;
    this.#input = createInterface({ input: process.stdin, terminal: false });
    this.talk = new Talk({
      desk,
      front: { quit: () => this.quit(), hears: true },
      transcript: () => this.#transcript,
      moved: () => this.#enter(),
      choose: ({ title, command, items }) =>
        this.#say(`${title}\n${items.map(({ value }) => `/${command} ${value}`).join("\n")}`),
      draft: ({ text }) => this.#say(`Your text: ${text}`),
      refresh: () => this.#print(),
      leave: () => {},
    });
  }

  async run({ opening, first }: { opening: readonly string[]; first: string | undefined }): Promise<void> {
    for (const text of opening) this.#say(text);
    this.#enter();
    this.#say("Type what is to be done, Enter sends. /help lists commands, /quit leaves, Ctrl+C ends.");
    if (first !== undefined) void this.talk.send(first);
    for await (const line of this.#input) this.#line(line);
    this.talk.cancel();
    await this.talk.settled();
    await this.#desk.close();
    await Promise.all(this.#listening);
  }

  quit(): void {
    this.#input.close();
  }

  #enter(): void {
    const { session } = this.#desk;
    this.#transcript = new Transcript();
    this.#transcript.before(session.entries(), session.loop().waiting);
    this.#printed = this.#transcript.blocks.length;
    if (this.#heard.has(session)) return;
    this.#heard.add(session);
    this.#listening.push(this.#listen(session));
  }

  async #listen(session: Session): Promise<void> {
    for await (const event of session.events()) {
      this.#transcript.event(event, (id) => session.entry(id));
      this.#print();
      this.#ask(event, session);
    }
  }

  #ask(event: Event, session: Session): void {
    if (event.type === "approval.end") {
      const at = this.#questions.findIndex((open) => open.event.id === event.id);
      if (at >= 0) this.#questions.splice(at, 1);
    }
    if (event.type !== "approval.ask") return;
    this.#questions.push({ event, session });
    const { answers, rule } = event;
    const offered = answers
      ? "Type an answer."
      : `Type y to allow it once, n or words to deny it${rule === null ? "." : `, a to allow ${rule} from now on.`}`;
    this.#say(["Question:", ...questionText(event), offered].join("\n"));
  }

  #line(text: string): void {
    const question = this.#questions[0];
    if (!question) {
      this.talk.write({ text, images: [] });
      return;
    }
    const { event, session } = question;
    const word = text.trim();
    const yes = event.answers ? word !== "" : /^(y|yes|a)$/i.test(word);
    const remember = !event.answers && word === "a" && event.rule !== null ? { remember: true } : {};
    const words = event.answers || (!yes && !/^(n|no|)$/i.test(word)) ? { feedback: word } : {};
    session.answer(event.id, { decision: yes ? "allow" : "deny", ...remember, ...words });
  }

  #print(): void {
    const { blocks } = this.#transcript;
    const drawing = { width: 1_000, calls: "line", open: false, now: Date.now(), pictures: null } as const;
    for (let block = blocks[this.#printed]; block?.done; block = blocks[++this.#printed]) {
      if (block.kind !== "said") this.#say(blockLines(block, drawing).map(textOfLine).join("\n"));
    }
  }

  #say(text: string): void {
    writeOut(safeText(`${text}\n`));
  }
}
