// The terminal interface, wired: events of the session -> transcript -> screen, keys -> what they do. What a key changes is drawn at
// once, the conversation at most thirty times a second.
// Invariant: holds nothing of the conversation itself; whatever is shown comes from the transcript, the draft and the dialogs.

import type { Event } from "../../core/event.js";
import type { Mode } from "../../core/policy.js";
import type { Answer, Said, Session } from "../../index.js";
import { terminalCodes } from "../../lib/safe-text.js";
import type { Desk } from "../desk.js";
import type { CallsShown } from "./blocks/index.js";
import { Canvas } from "./canvas.js";
import { Composer, type ComposerParts } from "./composer.js";
import { Controls } from "./controls.js";
import { AnswerDialog } from "./dialogs/answer.js";
import { ApprovalDialog, type Question } from "./dialogs/approval.js";
import type { Dialog } from "./dialogs/dialog.js";
import { forgetEnded } from "./ended-tasks.js";
import type { Below } from "./frame.js";
import { callBack, frontOf } from "./front.js";
import { imagesOf } from "./images-of.js";
import type { Key } from "./keyboard.js";
import type { Keymap } from "./keys.js";
import { Pace } from "./pace.js";
import { Pickers } from "./pickers.js";
import type { PictureProtocol } from "./picture.js";
import { Questions } from "./questions.js";
import { Talk } from "./talk.js";
import type { Theme } from "./theme.js";
import { Ticker } from "./ticker.js";
import { Transcript } from "./transcript.js";
import type { Listener, Tty } from "./tty.js";

export interface AppParts extends Pick<ComposerParts, "history" | "vim" | "candidates" | "home"> {
  desk: Desk;
  tty: Tty;
  keymap: Keymap;
  theme: Theme;
  calls: CallsShown;
  pictures: PictureProtocol | null;
  /** The image in the clipboard, null when there is none. */
  clipboard(): Promise<Uint8Array | null>;
  now(): number;
  /** The status line as of now. */
  status(facts: { session: Session; transcript: Transcript; mode: Mode }): string;
  /** Something changed that the status may show. */
  changed(event: Event): void;
  /** Edits a text in the user's editor; null when that did not work. */
  edit(text: string): Promise<string | null>;
  bell: boolean;
}

export class App implements Listener {
  readonly #parts: AppParts;
  readonly #canvas: Canvas;
  readonly #controls: Controls;
  readonly #composer: Composer;
  readonly #questions: Questions;
  readonly talk: Talk;
  #transcript = new Transcript();
  #mode: Mode;
  readonly #pickers: Pickers;
  readonly #asked = new Map<string, Dialog>();
  readonly #listening: Promise<void>[] = [];
  /** Sessions that are listened to: each once, however often it is entered. */
  readonly #heard = new WeakSet<Session>();
  readonly #ticker = new Ticker(() => this.refresh());
  readonly #pace: Pace;
  #leave: () => void = () => {};
  readonly #left: Promise<void>;

  constructor(parts: AppParts) {
    this.#parts = parts;
    const { tty, keymap, now } = parts;
    this.#canvas = new Canvas(parts);
    this.#pace = new Pace(now, () => this.#frame());
    const refresh = () => this.refresh();
    const say = (text: string) => this.say(text);
    const send = (said: Said) => this.talk.write(said);
    this.#composer = new Composer({ ...parts, ...imagesOf(parts.desk, parts.clipboard), send, say, refresh });
    this.#questions = new Questions({ now, askReport: () => tty.write(terminalCodes.askReport), refresh });
    const session = () => parts.desk.session;
    this.#pickers = new Pickers({ talk: () => this.talk, transcript: () => this.#transcript, session, refresh });
    this.#mode = parts.desk.session.init.permission_mode as Mode;
    this.#left = new Promise((resolve) => {
      this.#leave = resolve;
    });
    this.talk = new Talk({
      desk: parts.desk,
      front: frontOf(this.#canvas, keymap, { quit: () => this.quit(), queue: () => this.#pickers.queue(), refresh }),
      transcript: () => this.#transcript,
      moved: (fresh) => this.#moved(fresh),
      choose: (choice) => this.#pickers.choose(choice),
      draft: (said) => this.#composer.giveBack(said),
      refresh,
      leave: () => this.#away(),
    });
    this.#controls = new Controls({
      ...{ keymap, now, composer: this.#composer, questions: this.#questions, talk: this.talk },
      picker: () => this.#pickers.current,
      say,
      quit: () => this.quit(),
      nextMode: () => void this.#nextMode(),
      inspect: () => this.#canvas.openPager(() => this.#canvas.closePager()),
      write: () => void this.#write(),
      queue: () => this.#pickers.queue(),
      redraw: () => this.#canvas.erase(),
      suspend: () => tty.suspend(),
    });
  }

  /** Until the user leaves. */
  async run({ opening, first }: { opening: readonly string[]; first: string | undefined }): Promise<void> {
    for (const text of opening) this.#transcript.answer(text);
    this.#enter(this.#parts.desk.session);
    this.#parts.tty.start(this);
    this.#draw();
    if (first !== undefined) void this.talk.send(first);
    await this.#left;
    this.talk.cancel();
    await this.talk.settled();
    await this.#parts.desk.close();
    await Promise.all(this.#listening);
    this.#questions.stop();
    this.#pace.stop();
    this.#ticker.set(false);
    this.#canvas.close(this.#transcript.blocks);
    this.#parts.tty.stop();
  }

  quit(): void {
    this.#leave();
  }

  /** A dialog that comes by itself: nothing typed before it was seen answers it. */
  ask(dialog: Dialog): void {
    this.#questions.add(dialog);
    this.#away();
  }

  /** Something that may open the session anew; its text is shown. */
  do(work: () => Promise<string>): Promise<void> {
    return this.talk.do(work);
  }

  answered(dialog: Dialog): void {
    this.#questions.remove(dialog);
    this.refresh();
  }

  /** To the user alone. */
  say(text: string): void {
    this.#transcript.notice("info", text);
    this.refresh();
  }

  refresh(): void {
    this.#pace.soon();
  }

  /** Other completions are there for what is typed. */
  recomplete(): void {
    this.#composer.recomplete();
    this.refresh();
  }

  key(key: Key): void {
    if (!this.#canvas.pagerKey(key, this.#parts.keymap)) this.#controls.key(key);
    this.#draw(true);
  }

  paste(text: string): void {
    this.#controls.paste(text);
    this.#draw(true);
  }

  report(): void {
    this.#questions.report();
  }

  resize(): void {
    this.#draw();
  }

  /** The terminal is another program's from here on: nothing of ours stays in its way, and no frame comes. */
  lent(): void {
    this.#canvas.lend();
    this.#pace.hold();
  }

  resumed(): void {
    this.#canvas.forget();
    this.#pace.release();
    this.#draw();
  }

  #enter(session: Session): void {
    this.#transcript.before(session.entries(), session.loop().waiting);
    this.#canvas.restart(this.#transcript.blocks.length);
    this.#mode = session.init.permission_mode as Mode;
    const forgotten = forgetEnded(this.#transcript.strip, this.#parts.desk.harness, () => this.refresh());
    this.#listening.push(forgotten.catch(({ message }: Error) => this.say(message)));
    if (this.#heard.has(session)) return;
    this.#heard.add(session);
    this.#listening.push(this.#listen(session));
  }

  async #listen(session: Session): Promise<void> {
    for await (const event of session.events()) {
      this.#event(event, session);
      this.refresh();
    }
  }

  /** Of a session that was left, only its questions are still for the user. */
  #event(event: Event, session: Session): void {
    const isHere = session === this.#parts.desk.session;
    if (isHere) this.#transcript.event(event, (id) => session.entry(id));
    if (isHere) this.#parts.changed(event);
    if (event.type === "approval.ask") this.#question(event, session);
    if (event.type === "approval.end") {
      const dialog = this.#asked.get(event.id);
      if (dialog) this.answered(dialog);
    }
    if (event.agent === "main" && (event.type === "run.start" || event.type === "run.end"))
      this.#parts.tty.write(terminalCodes.progress(event.type === "run.start"));
  }

  #question(event: Question, session: Session): void {
    const answer = (given: Answer) => void session.answer(event.id, given);
    const dialog = event.answers ? new AnswerDialog(event, answer) : new ApprovalDialog(event, answer);
    this.#asked.set(event.id, dialog);
    this.ask(dialog);
  }

  #moved(fresh: boolean): void {
    const { session } = this.#parts.desk;
    this.#transcript = new Transcript();
    this.#enter(session);
    if (!fresh) this.#canvas.restart(this.#transcript.blocks.length, 0);
    this.refresh();
  }

  async #nextMode(): Promise<void> {
    this.#mode = (await this.talk.nextMode(this.#mode)) ?? this.#mode;
    this.refresh();
  }

  #away(): void {
    const { tty, bell, desk } = this.#parts;
    callBack(tty, { root: desk.session.init.root, asking: this.#questions.current !== undefined, bell });
    this.refresh();
  }

  /** `echo`: a key was pressed, and the conversation can wait for the frame that is due. */
  #draw(echo = false): void {
    const echoed = echo && this.#pace.due && this.#canvas.echo(this.#below());
    if (echoed) this.#questions.drawn();
    else this.#pace.frame();
  }

  #frame(): void {
    const { busy, strip } = this.#transcript;
    this.#ticker.set(busy || strip.work.length > 0);
    this.#canvas.draw(this.#transcript.blocks, this.#below());
    this.#questions.drawn();
  }

  #below(): Below {
    const { desk, keymap, status } = this.#parts;
    const question = this.#questions.current ?? null;
    const vim = this.#composer.vimMode;
    const text = status({ session: desk.session, transcript: this.#transcript, mode: this.#mode });
    return {
      waiting: this.#transcript.waiting,
      pinned: this.#transcript.pinned,
      beside: this.#transcript.strip.work,
      now: this.#parts.now(),
      dialog: question ?? this.#pickers.current,
      deaf: question !== null && !this.#questions.armed,
      composer: this.#composer,
      hint: this.talk.busy
        ? `${keymap.hint("cancel")} cancels, ${keymap.hint("steer")} steers`
        : "What is to be done?  /help",
      status: vim === null ? text : `${vim} · ${text}`,
      keys: { takeBack: keymap.hint("takeBack"), queue: keymap.hint("queue") },
    };
  }

  async #write(): Promise<void> {
    const { tty, edit } = this.#parts;
    this.lent();
    tty.stop();
    const text = await edit(this.#composer.draft.whole);
    tty.start(this);
    if (text !== null) this.#composer.set(text.replace(/\n$/, ""));
    else this.say("The editor did not end well; the text is as it was. $VISUAL or $EDITOR names it.");
    this.resumed();
  }
}
