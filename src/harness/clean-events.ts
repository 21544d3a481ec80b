// Events without secrets. Texts of a reply come in pieces that may cut a secret in two: what could be the beginning of one
// is held back until more has come, at the latest until the turn ends.
// Invariant: the deltas of a turn together are the text of the turn, redacted.

import type { EventBody } from "../core/event.js";
import type { Pieces, Redactor } from "../core/redactor.js";
import { redactedData } from "../secrets/redacted.js";

type Delta = Extract<EventBody, { type: "text.delta" | "thinking.delta" }>;

export class CleanEvents {
  readonly #redactor: Redactor;
  readonly #open = new Map<Delta["type"], Pieces<string>>();

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  of(body: EventBody): EventBody[] {
    if (body.type === "text.delta" || body.type === "thinking.delta") return this.#delta(body);
    const clean = redactedData(body, (text) => this.#redactor.values(text));
    return [...this.#rest(body.type), clean];
  }

  #delta({ type, text }: Delta): EventBody[] {
    const open = this.#open.get(type) ?? this.#redactor.pieces();
    this.#open.set(type, open);
    const clean = open.push(text);
    return clean === "" ? [] : [{ type, text: clean }];
  }

  #rest(before: EventBody["type"]): EventBody[] {
    const ends = before === "turn.end" || before === "run.end";
    if (this.#open.size === 0 || !(ends || before === "turn.start" || before === "turn.retry")) return [];
    const rest = [...this.#open].map(([type, open]) => ({ type, text: open.end() }));
    this.#open.clear();
    // What was begun in an attempt that counts no more is not said to its end.
    return ends ? rest.filter(({ text }) => text !== "") : [];
  }
}
