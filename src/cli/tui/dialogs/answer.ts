// A question of the agent to the user: one of the answers it offers, or words of one's own.

import type { Answer } from "../../../index.js";
import { showControls } from "../../../lib/safe-text.js";
import { Draft } from "../editor/draft.js";
import { typed } from "../editor/edits.js";
import { draftLayout } from "../editor/layout.js";
import type { Action } from "../keys.js";
import { List } from "../list.js";
import { cut, type Line, line, lines, span, wrapAll } from "../span.js";
import type { Question } from "./approval.js";
import type { Dialog } from "./dialog.js";

export class AnswerDialog implements Dialog {
  readonly writing = true;
  readonly #question: Question;
  readonly #list: List<{ label: string }>;
  readonly #draft = new Draft();
  readonly #settle: (answer: Answer) => void;

  constructor(question: Question, settle: (answer: Answer) => void) {
    this.#question = question;
    this.#settle = settle;
    this.#list = new List((question.answers ?? []).map((label) => ({ label })));
  }

  lines({ width, rows }: { width: number; rows: number }): Line[] {
    const text = wrapAll(lines(showControls(this.#question.summary), "bold"), width, {
      first: [span("? ", "warn")],
      rest: [span("  ")],
    });
    const offered = this.#draft.empty ? this.#offered(width, Math.max(1, rows - 4)) : [];
    const hint =
      this.#list.items.length > 0
        ? "Enter takes the marked answer, or type another one"
        : "Type an answer, Enter sends";
    const head = text.slice(0, Math.max(1, rows - offered.length - 3));
    return [...head, ...offered, cut(line(`${hint}; Escape leaves it open`, "dim"), width), ...this.#typed(width)];
  }

  action(action: Action): void {
    const draft = this.#draft;
    if (action === "choose" || action === "send") {
      this.#answer();
      return;
    }
    if (action === "cancel") {
      this.#settle({ decision: "deny" });
      return;
    }
    const offered = draft.empty && this.#list.items.length > 0;
    if (offered && (action === "next" || action === "down")) this.#list.move(1);
    else if (offered && (action === "previous" || action === "up")) this.#list.move(-1);
    else typed(draft, action);
  }

  text(text: string): void {
    this.#draft.paste(text);
  }

  cursor(width: number): { row: number; column: number } {
    const { lines: typed, row, column } = draftLayout(this.#draft, width, 4, "");
    return { row: row - typed.length, column };
  }

  /** In full where that leaves room for the question. */
  #offered(width: number, most: number): Line[] {
    const whole = this.#list.whole(width);
    return whole.length <= most ? whole : this.#list.lines(width, most);
  }

  #typed(width: number): Line[] {
    return draftLayout(this.#draft, width, 4, "").lines;
  }

  #answer(): void {
    const words = this.#draft.whole.trim();
    const feedback = words === "" ? this.#list.chosen?.label : words;
    if (feedback !== undefined) this.#settle({ decision: "allow", feedback });
  }
}
