// Lists that the user has asked for, one at a time: choices of commands, and what waits to be said.

import type { Session } from "../../index.js";
import type { SlashChoice } from "../slash/slash.js";
import { ChoiceDialog } from "./dialogs/choice.js";
import type { Dialog } from "./dialogs/dialog.js";
import { QueueDialog } from "./dialogs/queue.js";
import type { Talk } from "./talk.js";
import type { Transcript } from "./transcript.js";

export interface PickersParts {
  talk(): Talk;
  transcript(): Transcript;
  session(): Session;
  refresh(): void;
}

export class Pickers {
  readonly #parts: PickersParts;
  #current: Dialog | null = null;

  constructor(parts: PickersParts) {
    this.#parts = parts;
  }

  get current(): Dialog | null {
    return this.#current;
  }

  /** What is taken is sent as the line that calls the command with it. */
  choose({ title, command, items, current }: SlashChoice): void {
    const all = items.map(({ value, label, doc }) => ({ value, label, ...(doc === undefined ? {} : { doc }) }));
    const settle = (value: string | null) => {
      this.#show(null);
      if (value !== null) void this.#parts.talk().send(`/${command} ${/\s/.test(value) ? `"${value}"` : value}`);
    };
    this.#show(new ChoiceDialog(title, all, settle, current));
  }

  queue(): void {
    const { talk, transcript, session } = this.#parts;
    const close = () => this.#show(null);
    this.#show(new QueueDialog({ talk: talk(), waiting: () => transcript().waiting, session, close }));
  }

  #show(dialog: Dialog | null): void {
    this.#current = dialog;
    this.#parts.refresh();
  }
}
