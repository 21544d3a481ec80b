// Of all events those that a line of an attached terminal is made of, without what only a screen can show; of a question everything, for
// it may be answered there. Pure.

import type { Event } from "../../core/event.js";

const kinds: readonly Event["type"][] = [
  ...(["run.start", "run.end", "turn.retry", "turn.end", "text.delta", "call.start", "call.end"] as const),
  ...(["approval.ask", "approval.end", "notice", "compact.end", "loop.stop", "budget.warn"] as const),
];

/** Null: nothing is shown of it. Of agents, only what they ask and what is amiss. */
export function followable(event: Event): Event | null {
  if (!kinds.includes(event.type)) return null;
  if (event.agent !== "main" && !["approval.ask", "approval.end", "notice"].includes(event.type)) return null;
  if (event.type === "call.start" || event.type === "call.end") {
    const { view: _view, ...rest } = event;
    return rest.type === "call.end" ? { ...rest, text: "" } : rest;
  }
  return event;
}
