// Dialogs that come by themselves, one after the other. What is typed before a question could be read never answers it:
//   put      the dialog is drawn, and the terminal is asked for a status report, which it sends behind what was typed before
//   armed    the report has come (or never will) and no key for a moment, nor has it just appeared: now keys answer, and the dialog says which
// Until then keys go to the editor, where they were meant for.

import type { Dialog } from "./dialogs/dialog.js";

/** Milliseconds without a key, and how long a report is waited for. */
const quiet = 350;
const patience = 1_000;

export interface QuestionsParts {
  now(): number;
  /** Asks the terminal for a report. */
  askReport(): void;
  refresh(): void;
}

export class Questions {
  readonly #parts: QuestionsParts;
  readonly #waiting: Dialog[] = [];
  #reported = false;
  #put = 0;
  #lastKey = 0;
  #timer: NodeJS.Timeout | undefined;
  #armed = false;

  constructor(parts: QuestionsParts) {
    this.#parts = parts;
  }

  get current(): Dialog | undefined {
    return this.#waiting[0];
  }

  get armed(): boolean {
    return this.#armed;
  }

  add(dialog: Dialog): void {
    this.#waiting.push(dialog);
    if (this.#waiting.length === 1) this.#begin();
  }

  remove(dialog: Dialog): void {
    const at = this.#waiting.indexOf(dialog);
    if (at < 0) return;
    this.#waiting.splice(at, 1);
    if (at === 0) this.#begin();
  }

  /** A frame with the dialog is on its way to the terminal. */
  drawn(): void {
    if (!this.current || this.#put > 0) return;
    this.#put = this.#parts.now();
    this.#parts.askReport();
    this.#check();
  }

  report(): void {
    if (this.#put > 0) this.#reported = true;
    this.#check();
  }

  /** A key that went to the editor. */
  typed(): void {
    this.#lastKey = this.#parts.now();
    this.#check();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #begin(): void {
    this.#armed = false;
    this.#reported = false;
    this.#put = 0;
    clearTimeout(this.#timer);
    this.#parts.refresh();
  }

  #check(): void {
    clearTimeout(this.#timer);
    if (!this.current || this.#armed || this.#put === 0) return;
    const now = this.#parts.now();
    const reports = this.#reported ? 0 : this.#put + patience - now;
    const silence = Math.max(this.#lastKey, this.#put) + quiet - now;
    const wait = Math.max(reports, silence);
    if (wait > 0) {
      this.#timer = setTimeout(() => this.#check(), wait);
      return;
    }
    this.#armed = true;
    this.#parts.refresh();
  }
}
