// The question whether a call may run: exactly what would run, its parts with what is known of each, the narrowest rule on
// offer, and four answers. What is invisible in a command is shown as its code (safe text), and said.

import type { Event } from "../../../core/event.js";
import type { Answer } from "../../../index.js";
import { viewLines } from "../blocks/view.js";
import { Draft } from "../editor/draft.js";
import { typed } from "../editor/edits.js";
import { draftLayout } from "../editor/layout.js";
import type { Action } from "../keys.js";
import { List } from "../list.js";
import { cut, type Line, line, span, wrap } from "../span.js";
import type { Style } from "../theme.js";
import type { Dialog } from "./dialog.js";
import { exactly, hiddenIn, verdictOf } from "./question-facts.js";

export type Question = Extract<Event, { type: "approval.ask" }>;

/** Rows of what would run that are in sight wherever there is room for them. */
const leastBody = 3;

type Way = { action: "allow" | "allowAlways" | "deny" | "denyWithWords"; label: string };

export class ApprovalDialog implements Dialog {
  readonly #question: Question;
  readonly #hiddenIn: string | null;
  readonly #list: List<Way>;
  readonly #settle: (answer: Answer) => void;
  #words: Draft | null = null;
  /** First row shown of what is too long, and how many rows a page has. */
  #top = 0;
  #page = 1;

  constructor(question: Question, settle: (answer: Answer) => void) {
    this.#question = exactly(question);
    this.#hiddenIn = hiddenIn(question);
    this.#settle = settle;
    const { rule } = this.#question;
    const always: Way[] =
      rule === null ? [] : [{ action: "allowAlways", label: `a  Allow from now on in this project: ${rule}` }];
    this.#list = new List<Way>([
      { action: "allow", label: "y  Allow once" },
      ...always,
      { action: "deny", label: "n  Deny" },
      { action: "denyWithWords", label: "f  Deny and say why" },
    ]);
  }

  lines({ width, rows }: { width: number; rows: number }): Line[] {
    const { summary, reason } = this.#question;
    const title = wrap([span("? ", "warn"), span(summary.split("\n")[0] ?? "", "bold")], width);
    const why = wrap(line(`Asked because ${reason}.`, "dim"), width);
    const body = [...this.#hidden(width), ...viewLines(shown(this.#question), width), ...this.#parts(width)];
    const below = this.#below(width, false);
    const room = rows - title.length - why.length - below.length;
    if (room >= Math.min(leastBody, body.length))
      return [...title, ...why, ...this.#window(body, Math.max(1, room), width), ...below];
    // In a low window the answers stand side by side, and all else is pages.
    const close = this.#below(width, true);
    return [...this.#window([...title, ...body, ...why], Math.max(1, rows - close.length), width), ...close];
  }

  action(action: Action): void {
    if (this.#words) {
      this.#writing(action);
      return;
    }
    switch (action) {
      case "next":
      case "down":
        this.#list.move(1);
        return;
      case "previous":
      case "up":
        this.#list.move(-1);
        return;
      case "pageDown":
        this.#top += this.#page;
        return;
      case "pageUp":
        this.#top -= this.#page;
        return;
      case "choose":
        if (this.#list.chosen) this.action(this.#list.chosen.action);
        return;
      case "allow":
        this.#settle({ decision: "allow" });
        return;
      case "allowAlways":
        if (this.#question.rule !== null) this.#settle({ decision: "allow", remember: true });
        return;
      case "deny":
        this.#settle({ decision: "deny" });
        return;
      case "denyWithWords":
        this.#words = new Draft();
        return;
      default:
        return;
    }
  }

  /** Words for a denial are being typed: keys are text then. */
  get writing(): boolean {
    return this.#words !== null;
  }

  text(text: string): void {
    this.#words?.insert(text);
  }

  cursor(width: number): { row: number; column: number } | null {
    if (!this.#words) return null;
    const { row, column } = draftLayout(this.#words, width, 4, "");
    return { row: row - draftLayout(this.#words, width, 4, "").lines.length, column };
  }

  #writing(action: Action): void {
    const words = this.#words as Draft;
    if (action === "choose" || action === "send") {
      const feedback = words.whole.trim();
      this.#settle({ decision: "deny", ...(feedback === "" ? {} : { feedback }) });
    } else if (action === "cancel") this.#words = null;
    else typed(words, action);
  }

  /** Nothing is left out: what does not fit is a page further. */
  #window(body: readonly Line[], room: number, width: number): readonly Line[] {
    if (body.length <= room) return body;
    this.#page = Math.max(1, room - 1);
    this.#top = Math.max(0, Math.min(this.#top, body.length - this.#page));
    const shown = body.slice(this.#top, this.#top + this.#page);
    const hint = `rows ${this.#top + 1} to ${this.#top + shown.length} of ${body.length}; PageDown and PageUp show the rest`;
    return [...shown, cut(line(hint, "warn"), width)];
  }

  #below(width: number, beside: boolean): Line[] {
    if (!this.#words) return this.#list.whole(width, beside);
    return [
      ...wrap(line("Why not? The model reads it. Enter sends, Escape goes back."), width),
      ...draftLayout(this.#words, width, 4, "").lines,
    ];
  }

  #hidden(width: number): Line[] {
    return this.#hiddenIn === null ? [] : wrap(line(this.#hiddenIn, "bad"), width);
  }

  #parts(width: number): Line[] {
    const { parts } = this.#question;
    if (parts.length === 0) return [];
    const rows = parts.map((part) => {
      const [said, style] = [verdictOf(part), verdictStyles[part.verdict]];
      const words = [span(`  ${part.argv.join(" ")}`), span(`  ${said}`, style), span(`: ${part.why}`, "dim")];
      return wrap(words, width, { first: [], rest: [span("    ")] });
    });
    return [cut(line("Its parts:", "dim"), width), ...rows.flat()];
  }
}

const verdictStyles: Record<Question["parts"][number]["verdict"], Style> = {
  readonly: "good",
  "needs-approval": "warn",
  "never-auto": "bad",
};

/** A command is shown as it is typed, byte for byte; what it would print is not known yet. */
function shown({ view, summary }: Question): Question["view"] {
  return view.type === "text" && view.text === "" ? { type: "text", text: summary } : view;
}
