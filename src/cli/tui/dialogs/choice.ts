// A list under a heading: models, sessions, modes, themes, what the agent asks with answers to choose from.

import type { Action } from "../keys.js";
import { type Item, List } from "../list.js";
import { cut, type Line, line, lines, wrapAll } from "../span.js";
import type { Dialog } from "./dialog.js";

export interface ChoiceItem extends Item {
  value: string;
}

export class ChoiceDialog implements Dialog {
  readonly #title: string;
  readonly #all: readonly ChoiceItem[];
  #list: List<ChoiceItem>;
  #typed = "";
  readonly #settle: (value: string | null) => void;

  constructor(title: string, items: readonly ChoiceItem[], settle: (value: string | null) => void, current?: string) {
    this.#title = title;
    this.#all = items;
    this.#list = new List(
      items,
      items.findIndex(({ value }) => value === current),
    );
    this.#settle = settle;
  }

  lines({ width, rows }: { width: number; rows: number }): Line[] {
    const hint = this.#typed === "" ? "type to narrow, Enter takes, Escape leaves" : `narrowed to: ${this.#typed}`;
    const title = wrapAll(lines(this.#title, "heading"), width).slice(0, Math.max(1, rows - 4));
    const room = Math.max(1, rows - title.length - 1);
    const list =
      this.#list.items.length > 0 ? this.#list.lines(width, room) : [cut(line("nothing fits", "dim"), width)];
    return [...title, ...list, cut(line(hint, "dim"), width)];
  }

  action(action: Action): void {
    if (action === "next" || action === "down") this.#list.move(1);
    if (action === "previous" || action === "up") this.#list.move(-1);
    if (action === "pageDown") this.#list.page(10);
    if (action === "pageUp") this.#list.page(-10);
    if (action === "top") this.#list.page(Number.NEGATIVE_INFINITY);
    if (action === "bottom") this.#list.page(Number.POSITIVE_INFINITY);
    if (action === "erase") this.#narrow(this.#typed.slice(0, -1));
    if (action === "choose" && this.#list.chosen) this.#settle(this.#list.chosen.value);
    if (action === "cancel" || action === "interrupt") this.#settle(null);
  }

  text(text: string): void {
    this.#narrow(this.#typed + text);
  }

  #narrow(typed: string): void {
    this.#typed = typed;
    const words = typed.toLowerCase().split(/\s+/);
    const fits = ({ label, doc = "" }: ChoiceItem) =>
      words.every((word) => `${label} ${doc}`.toLowerCase().includes(word));
    this.#list = new List(this.#all.filter(fits));
  }
}
