// Events and entries of a session, by their type and with the fields of that type.

import type { Entry, Event, Session } from "../../src/index.js";

export function of<Type extends Event["type"]>(events: readonly Event[], type: Type) {
  return events.filter((event): event is Extract<Event, { type: Type }> => event.type === type);
}

export function entriesOf<Type extends Entry["type"]>(session: Session, type: Type) {
  return [...session.entries()].filter((entry): entry is Extract<Entry, { type: Type }> => entry.type === type);
}

/** The changes of the controller, `from>to action`. */
export const states = (events: readonly Event[]) =>
  of(events, "state.change").map(({ from, to, action }) => `${from}>${to}${action ? ` ${action}` : ""}`);
