// What happens in a session as plain lines: for an attached terminal, or a file. A line is printed once, when it is whole.
// Pure. Deliberately less than the screen of the process that holds the session: no views, no diffs, no thinking.

import type { Event } from "../../core/event.js";
import { duration } from "../tui/blocks/marks.js";
import { closing, remark } from "../views/remarks.js";

const marks = { ok: "●", error: "✗", denied: "⊘", conflict: "✗", cancelled: "⊘", not_run: "⊘", unknown: "?" } as const;

export class Followed {
  /** Of the answer that arrives: what has no line end yet. */
  #rest = "";
  readonly #calls = new Map<string, string>();

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
        return [`? ${event.summary}`, "  It waits for an answer where the session is held."];
      case "approval.end":
        return [`  Answered: ${event.decision}.`];
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
