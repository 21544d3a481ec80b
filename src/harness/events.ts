// Fans events out to everybody who listens. Each listener has a queue of its own, so a slow one delays nobody.
// Invariants: no event holds a secret (clean-events.ts); `seq` has no gaps; a listener sees every event from its subscription on, in order.

import type { Entry } from "../core/entry.js";
import type { Emit, Event, EventBody } from "../core/event.js";
import type { Clock } from "../core/ids.js";
import type { Redactor } from "../core/redactor.js";
import type { Appended } from "./api/session.js";
import { CleanEvents } from "./clean-events.js";

export interface HubOptions {
  session: string;
  clock: Clock;
  redactor: Redactor;
  /** Id of the task that the session works on, or `main`. */
  agent: string;
  /** The call that gave that task. */
  call?: string | null | undefined;
  /** Hears everything as well: the hub of the session that the task belongs to. */
  above?: EventHub | undefined;
}

export class EventHub {
  readonly #listeners = new Set<Pick<Queue, "push" | "end">>();
  readonly #options: HubOptions;
  readonly #clean: CleanEvents;
  /** As long as somebody holds the event: an agent's session may be closed before its events are read. */
  readonly #appended = new WeakMap<Event, Appended>();
  #seq = 0;

  constructor(options: HubOptions) {
    this.#options = options;
    this.#clean = new CleanEvents(options.redactor);
  }

  readonly emit: Emit = (body: EventBody) => {
    const { session, agent } = this.#options;
    for (const clean of this.#clean.of(body)) this.#send(clean, { session, agent });
  };

  append(entry: Entry): void {
    const { session, agent, call = null } = this.#options;
    this.#send({ type: "entry.append", entry: entry.id, kind: entry.type }, { session, agent }, { entry, call });
  }

  appended(event: Event): Appended | undefined {
    return this.#appended.get(event);
  }

  #send(body: EventBody, from: Pick<Event, "session" | "agent">, appended?: Appended): void {
    this.#seq++;
    const { above } = this.#options;
    if (above) above.#send(body, from, appended);
    if (this.#listeners.size === 0) return;
    const time = new Date(this.#options.clock.now()).toISOString();
    const event = { ...body, seq: this.#seq, ...from, time } as Event;
    if (appended) this.#appended.set(event, appended);
    for (const listener of this.#listeners) listener.push(event);
  }

  subscribe(): AsyncIterable<Event> {
    const queue = new Queue(() => this.#listeners.delete(queue));
    this.#listeners.add(queue);
    return queue;
  }

  /** Calls `heard` with each event as it is said. Returns how to stop. */
  hear(heard: (event: Event) => void): () => void {
    const listener = { push: heard, end: () => {} };
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  close(): void {
    for (const listener of this.#listeners) listener.end();
    this.#listeners.clear();
  }
}

class Queue implements AsyncIterableIterator<Event> {
  #events: Event[] = [];
  #ended = false;
  #wake: (() => void) | undefined;
  readonly #leave: () => void;

  constructor(leave: () => void) {
    this.#leave = leave;
  }

  push(event: Event): void {
    this.#events.push(event);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  async next(): Promise<IteratorResult<Event>> {
    for (;;) {
      const event = this.#events.shift();
      if (event) return { done: false, value: event };
      if (this.#ended) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }

  async return(): Promise<IteratorResult<Event>> {
    this.#leave();
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
