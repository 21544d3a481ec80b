// What happens in a session as plain lines: for an attached terminal, or a file. A line is printed once, when it is whole; and which
// questions are open.
// Pure. Deliberately less than the screen of the process that holds the session: no views, no thinking; a question is shown in full.

import type { Event } from "../../core/event.js";
import type { Approval } from "../../index.js";
import { duration } from "../tui/blocks/marks.js";
import { questionText } from "../tui/question-text.js";
import { closing, remark } from "../views/remarks.js";
import { waysOf } from "./answer-line.js";

const marks = { ok: "●", error: "✗", denied: "⊘", conflict: "✗", cancelled: "⊘", not_run: "⊘", unknown: "?" } as const;

export class Followed {
  /** Of the answer that arrives: what has no line end yet. */
  #rest = "";
  readonly #calls = new Map<string, string>();
  readonly #open = new Map<string, Approval>();

  get open(): readonly Approval[] {
    return [...this.#open.values()];
  }

  /** Once, however often it is told. */
  question(question: Approval): string[] {
    if (this.#open.has(question.id)) return [];
    this.#open.set(question.id, question);
    const [first = "", ...rest] = questionText(question);
    return [`? ${first}`, ...[...rest, ...waysOf(question)].map((line) => `  ${line}`)];
  }

  lines(event: Event): string[] {
    if (event.type === "text.delta") return this.#text(event.text);
    return [...this.#flush(), ...this.#other(event)];
  }

  #text(text: string): string[] {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    return lines;
  }

  #flush(): string[] {
    const rest = this.#rest;
    this.#rest = "";
    return rest === "" ? [] : [rest];
  }

  #other(event: Event): string[] {
    switch (event.type) {
      case "run.start":
        return event.prompt === "" ? [] : ["", `❯ ${event.prompt}`];
      case "run.end":
        return [...closing({ ...event, type: "result" }), "The run has ended."];
      case "turn.retry":
        return ["What of this answer is above is void.", ...this.#remark(event)];
      case "call.start":
        this.#calls.set(event.call, event.summary);
        return [`◐ ${event.summary}`];
      case "call.end":
        return [`${marks[event.status]} ${this.#calls.get(event.call) ?? event.tool}  ${duration(event.ms)}`];
      case "approval.ask":
        return this.question(event);
      case "approval.end":
        this.#open.delete(event.id);
        if (event.by === "headless") return ["  Nobody answered; the question is closed."];
        return [`  Answered${event.via === undefined ? "" : ` in ${event.via}`}: ${event.decision}.`];
      default:
        return this.#remark(event);
    }
  }

  #remark(event: Event): string[] {
    const said = remark(event, false);
    if (said === null) return [];
    return [event.agent === "main" ? said : `Task ${event.agent}: ${said}`];
  }
}
