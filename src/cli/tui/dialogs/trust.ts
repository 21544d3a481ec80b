// What a project has that speaks to the model or would run, and whether its user trusts exactly that. Shown as `cinch trust status` shows
// it; a yes goes with the status that was shown, so that nothing else is agreed to.

import type { TrustStatus } from "../../../index.js";
import { trustView } from "../../views/trust.js";
import type { Action } from "../keys.js";
import { List } from "../list.js";
import { cut, type Line, line, lines, wrapAll } from "../span.js";
import type { Dialog } from "./dialog.js";

export class TrustDialog implements Dialog {
  readonly leaves = true;
  readonly #shown: TrustStatus;
  readonly #settle: (yes: boolean) => void;
  readonly #list = new List<{ label: string; yes: boolean }>([
    { label: "n  Not now (Escape): its files are data, nothing of it speaks or runs", yes: false },
    { label: "y  Trust exactly this, until it changes", yes: true },
  ]);
  #top = 0;
  #page = 1;

  constructor(shown: TrustStatus, settle: (yes: boolean) => void) {
    this.#shown = shown;
    this.#settle = settle;
  }

  lines({ width, rows }: { width: number; rows: number }): Line[] {
    const title = wrapAll(
      lines("This project brings its own instructions or programs. Do you trust it?", "heading"),
      width,
    );
    const body = wrapAll(lines(trustView(this.#shown)), width);
    const below = this.#list.whole(width);
    const room = Math.max(1, rows - title.length - below.length);
    if (body.length <= room) return [...title, ...body, ...below];
    this.#page = Math.max(1, room - 1);
    this.#top = Math.max(0, Math.min(this.#top, body.length - this.#page));
    const shown = body.slice(this.#top, this.#top + this.#page);
    const hint = `rows ${this.#top + 1} to ${this.#top + shown.length} of ${body.length}; PageDown and PageUp show the rest`;
    return [...title, ...shown, cut(line(hint, "warn"), width), ...below];
  }

  action(action: Action): void {
    if (action === "next") this.#list.move(1);
    else if (action === "previous") this.#list.move(-1);
    else if (action === "pageDown") this.#top += this.#page;
    else if (action === "pageUp") this.#top -= this.#page;
    else if (action === "choose") this.#settle(this.#list.chosen?.yes === true);
    else if (action === "allow") this.#settle(true);
    else if (action === "deny" || action === "cancel") this.#settle(false);
  }
}
