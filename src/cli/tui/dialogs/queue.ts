// What waits to be said, as a list: any of it can be changed where it stands, moved, dropped.
// Invariant: holds no copy of the list, so what the model has read in the meantime is gone from it; a text whose message was
// read while it was being changed goes to the editor.

import type { Waiting } from "../../../core/steer.js";
import type { Session } from "../../../index.js";
import { Draft } from "../editor/draft.js";
import { typed } from "../editor/edits.js";
import { draftLayout } from "../editor/layout.js";
import type { Action } from "../keys.js";
import { List } from "../list.js";
import { cut, type Line, line, wrap } from "../span.js";
import type { Talk } from "../talk.js";
import type { Dialog } from "./dialog.js";

export interface QueueParts {
  /** As far as the screen has heard, oldest first. */
  waiting(): readonly Waiting[];
  session(): Pick<Session, "loop" | "revise" | "withdraw">;
  talk: Pick<Talk, "attempt" | "tooLate">;
  close(): void;
}

const rowsOfText = 6;

export class QueueDialog implements Dialog {
  readonly #parts: QueueParts;
  /** Of the marked one. */
  #id: string | undefined;
  #at = 0;
  #words: Draft | null = null;

  constructor(parts: QueueParts) {
    this.#parts = parts;
    this.#mark(0);
  }

  lines({ width, rows }: { width: number; rows: number }): Line[] {
    const { items } = this.#list();
    const title = cut(line(`What waits to be said (${items.length})`, "heading"), width);
    if (this.#words) {
      const text = draftLayout(this.#words, width, Math.min(rowsOfText, Math.max(1, rows - 2)), "").lines;
      return [title, cut(line("Enter puts it back, Escape leaves it", "dim"), width), ...text];
    }
    if (items.length === 0) return [title, cut(line("Nothing waits any more. Escape leaves.", "dim"), width)];
    const hint = "Enter changes, Delete drops, Alt+Up/Down move it, Escape leaves";
    const told = wrap(line(hint, "dim"), width).slice(0, 2);
    return [title, ...this.#list().lines(width, Math.max(1, rows - 1 - told.length)), ...told];
  }

  get writing(): boolean {
    return this.#words !== null;
  }

  text(text: string): void {
    this.#words?.paste(text);
  }

  cursor(width: number): { row: number; column: number } | null {
    if (!this.#words) return null;
    const { lines, row, column } = draftLayout(this.#words, width, rowsOfText, "");
    return { row: row - lines.length, column };
  }

  action(action: Action): void {
    if (this.#words) {
      this.#writing(this.#words, action);
      return;
    }
    if (action === "cancel") this.#parts.close();
    else if (action === "next") this.#mark(this.#list().index + 1);
    else if (action === "previous") this.#mark(this.#list().index - 1);
    else if (action === "top") this.#mark(0);
    else if (action === "bottom") this.#mark(-1);
    else this.#change(action);
  }

  /** A key that was meant for what the model has just read does nothing to what stands there now. */
  #change(action: Action): void {
    const { session, talk } = this.#parts;
    // The log's own list: two keys may come faster than the screen hears of the first.
    const waiting = () => session().loop().waiting;
    const all = waiting();
    const at = all.findIndex(({ id }) => id === this.#id);
    const [above, marked, below] = [all[at - 1], all[at], all[at + 1]];
    if (!marked) {
      this.#mark(this.#list().index);
      return;
    }
    const { id, text } = marked;
    if (action === "choose") {
      this.#words = new Draft();
      this.#words.set(text);
    } else if (action === "drop") {
      talk.attempt(() => session().withdraw(id));
      this.#mark(Math.min(at, all.length - 2), waiting());
    } else if (action === "raise" && above) talk.attempt(() => session().revise(id, { before: above.id }));
    else if (action === "lower" && below) talk.attempt(() => session().revise(below.id, { before: id }));
  }

  #writing(words: Draft, action: Action): void {
    if (action === "cancel") this.#words = null;
    else if (action === "choose" || action === "send") this.#put(words.whole);
    else typed(words, action);
  }

  /** Nothing left of it: it is dropped. */
  #put(text: string): void {
    const { session, talk, close } = this.#parts;
    const id = this.#id ?? "";
    const empty = text.trim() === "";
    const put = talk.attempt(() => (empty ? session().withdraw(id) !== null : session().revise(id, { text })));
    if (put === undefined) return;
    this.#words = null;
    if (put || empty) return;
    talk.tooLate(text);
    close();
  }

  /** Around the marked one, or where it stood. */
  #list(): List<Waiting & { label: string }> {
    const items = this.#parts.waiting().map((each) => ({ ...each, label: labelOf(each) }));
    const at = items.findIndex(({ id }) => id === this.#id);
    return new List(items, at < 0 ? Math.min(this.#at, items.length - 1) : at);
  }

  /** Goes round at both ends. */
  #mark(at: number, all = this.#parts.waiting()): void {
    this.#at = all.length === 0 ? 0 : (at + all.length) % all.length;
    this.#id = all[this.#at]?.id;
  }
}

function labelOf({ mode, text }: Waiting): string {
  return `${mode === "now" ? "↯" : "⋯"} ${text.split("\n").join(" ⏎ ")}`;
}
