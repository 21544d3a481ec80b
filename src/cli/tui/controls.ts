// Where a key goes: to the pager, to a dialog that listens, to an action that works anywhere, to the editor; in that order.
// Invariants: as long as a question does not listen, keys are the editor's, where they were meant for, and stay its own: what the
// editor keeps while it reads an image reaches no dialog. Keys that end or leave something work at once.

import type { Composer } from "./composer.js";
import type { Dialog } from "./dialogs/dialog.js";
import type { Key } from "./keyboard.js";
import type { Action, Keymap } from "./keys.js";
import type { Questions } from "./questions.js";
import type { Talk } from "./talk.js";

export interface ControlParts {
  keymap: Keymap;
  composer: Composer;
  questions: Questions;
  talk: Talk;
  now(): number;
  /** A list the user has asked for. */
  picker(): Dialog | null;
  say(text: string): void;
  quit(): void;
  nextMode(): void;
  inspect(): void;
  /** The draft in the user's editor. */
  write(): void;
  /** What waits, as a list. */
  queue(): void;
  redraw(): void;
  suspend(): void;
}

const twiceMs = 1_500;

export class Controls {
  readonly #parts: ControlParts;
  #interrupted = Number.NEGATIVE_INFINITY;

  constructor(parts: ControlParts) {
    this.#parts = parts;
  }

  key(key: Key): void {
    const { keymap, questions, composer } = this.#parts;
    const dialog = this.#dialog();
    const anywhere = keymap.find(key.name, "anywhere");
    if (dialog && this.#toDialog(dialog, key, anywhere)) return;
    if (!dialog && questions.current) questions.typed();
    if (anywhere && this.#act(anywhere)) return;
    if (!dialog) composer.key(key);
  }

  paste(text: string): void {
    const { questions, composer } = this.#parts;
    const dialog = this.#dialog();
    if (!dialog && questions.current) questions.typed();
    if (!dialog) composer.paste(text);
    else if (takesText(dialog)) dialog.text?.(text);
  }

  /** The dialog that keys go to. */
  #dialog(): Dialog | null {
    const { questions, picker } = this.#parts;
    if (questions.current) return questions.armed ? questions.current : null;
    return picker();
  }

  #toDialog(dialog: Dialog, key: Key, anywhere: Action | undefined): boolean {
    const words = takesText(dialog);
    // A list goes up by the same key; at a question it is the mode that may have to change.
    if (anywhere === "mode" && dialog === this.#parts.questions.current) return false;
    if (anywhere === "cancel" && (words || dialog.leaves === true || dialog === this.#parts.picker()))
      dialog.action("cancel");
    else if (words && key.text !== "") dialog.text?.(key.text);
    else {
      const places = words ? (["list", "editor"] as const) : (["question", "list"] as const);
      const action = this.#parts.keymap.find(key.name, ...places);
      if (!action) return false;
      dialog.action(action);
    }
    return true;
  }

  /** False: the key has no meaning here and may have one in the editor. */
  #act(action: Action): boolean {
    const { composer, talk } = this.#parts;
    switch (action) {
      case "cancel":
        return composer.escape() || talk.cancel() || composer.draft.empty;
      case "exit":
        return this.#exit();
      case "steer":
        composer.do(() => {
          if (!composer.draft.empty) talk.steer(composer.take(), "now");
        });
        return true;
      case "takeBack":
        talk.takeBack();
        return true;
      case "interrupt":
        this.#interrupt();
        return true;
      case "mode":
        this.#parts.nextMode();
        return true;
      default:
        return this.#elsewhere(action);
    }
  }

  #elsewhere(action: Action): boolean {
    const { inspect, write, queue, redraw, suspend } = this.#parts;
    const act = { inspect, write: () => this.#parts.composer.do(write), queue, redraw, suspend }[action as string];
    act?.();
    return act !== undefined;
  }

  #exit(): true {
    const { composer, talk, say, quit } = this.#parts;
    if (!composer.blank) composer.draft.eraseNext();
    else if (talk.busy) say("A run is under way; Escape ends it.");
    else quit();
    return true;
  }

  #interrupt(): void {
    const { composer, talk, now, say, quit } = this.#parts;
    const twice = now() - this.#interrupted < twiceMs;
    this.#interrupted = now();
    if (twice) quit();
    else if (!composer.blank) composer.clear();
    else if (!talk.cancel()) say("Once more leaves Cinch.");
  }
}

function takesText(dialog: Dialog): boolean {
  return dialog.text !== undefined && (dialog.writing ?? true);
}
