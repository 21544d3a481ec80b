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
import { hiddenIn, verdictOf } from "./question-facts.js";

export type Question = Extract<Event, { type: "approval.ask" }>;

type Way = { action: "allow" | "allowAlways" | "deny" | "denyWithWords"; label: string };

export class ApprovalDialog implements Dialog {
  readonly #question: Question;
  readonly #list: List<Way>;
  readonly #settle: (answer: Answer) => void;
  #words: Draft | null = null;
  /** First row shown of what is too long, and how many rows a page has. */
  #top = 0;
  #page = 1;

  constructor(question: Question, settle: (answer: Answer) => void) {
    this.#question = question;
    this.#settle = settle;
    const always: Way[] =
      question.rule === null
        ? []
        : [{ action: "allowAlways", label: `a  Allow from now on in this project: ${question.rule}` }];
    this.#list = new List<Way>([
      { action: "allow", label: "y  Allow once" },
      ...always,
      { action: "deny", label: "n  Deny" },
      { action: "denyWithWords", label: "f  Deny and say why" },
    ]);
  }

  lines({ width, rows }: { width: number; rows: number }): Line[] {
    const { summary, reason } = this.#question;
    const head = [
      ...wrap([span("? ", "warn"), span(summary.split("\n")[0] ?? "", "bold")], width),
      ...wrap(line(`Asked because ${reason}.`, "dim"), width),
    ];
    const below = this.#below(width);
    const room = Math.max(1, rows - head.length - below.length);
    const body = [...this.#hidden(width), ...viewLines(shown(this.#question), width), ...this.#parts(width)];
    return [...head, ...this.#window(body, room, width), ...below];
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

  #below(width: number): Line[] {
    if (!this.#words) return this.#list.lines(width, this.#list.items.length);
    return [
      ...wrap(line("Why not? The model reads it. Enter sends, Escape goes back."), width),
      ...draftLayout(this.#words, width, 4, "").lines,
    ];
  }

  #hidden(width: number): Line[] {
    const hidden = hiddenIn(this.#question);
    return hidden === null ? [] : wrap(line(hidden, "bad"), width);
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
