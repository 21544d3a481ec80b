// Work beside the conversation: tasks that are queued or running, as a fold like transcript.ts. A task is known from the log
// of its session; what an agent does meanwhile from its own events, which are heard under the name of its task.
// Invariant: what is settled is gone. Tasks that a task gave have no entry in this log: they are shown by their id.

import type { Entry } from "../../core/entry.js";
import type { Event } from "../../core/event.js";
import { isSettled, type TaskState } from "../../core/task.js";

export interface Beside {
  id: string;
  title: string;
  state: TaskState;
  /** The newest sign of it. */
  newest: string;
  /** Milliseconds since the epoch; null = not begun. */
  since: number | null;
  /** It waits for an answer of the user. */
  asks: boolean;
}

export class Strip {
  readonly #work = new Map<string, Beside>();

  /** Oldest first. */
  get work(): readonly Beside[] {
    return [...this.#work.values()];
  }

  entry({ data: { id, change }, time }: Entry<"task">): void {
    // Its end was told: it has ended, whether or not this log saw it end.
    if (change["told"] === true) return void this.#work.delete(id);
    const { to, title } = change;
    if (typeof to === "string") this.#becomes(id, to as TaskState, time);
    if (typeof title === "string") this.#change(id, { title });
  }

  /** True when it is the work of a task, so not part of the conversation. */
  event(event: Event): boolean {
    if (event.type === "task.change") {
      this.#becomes(event.task, event.to as TaskState, Date.parse(event.time));
      return true;
    }
    if (event.agent === "main") return false;
    const sign = signOf(event);
    if (sign !== null) this.#change(event.agent, { newest: sign });
    if (event.type === "approval.ask") this.#change(event.agent, { asks: true });
    if (event.type === "approval.end") this.#change(event.agent, { asks: false });
    return true;
  }

  /** It has ended while nobody wrote this log. */
  forget(id: string): void {
    this.#work.delete(id);
  }

  #becomes(id: string, state: TaskState, time: number): void {
    if (isSettled(state)) return void this.#work.delete(id);
    const known = this.#work.get(id) ?? { id, title: `task ${id}`, newest: "", since: null, asks: false };
    const since = known.since ?? (state === "running" ? time : null);
    this.#work.set(id, { ...known, state, since });
  }

  #change(id: string, facts: Partial<Beside>): void {
    const known = this.#work.get(id);
    if (known) this.#work.set(id, { ...known, ...facts });
  }
}

function signOf(event: Event): string | null {
  if (event.type === "call.start") return event.summary;
  return event.type === "call.progress" ? event.line : null;
}
