// Fans events out to everybody who listens. Each listener has a queue of its own, so a slow one delays nobody.
// Invariants: no event holds a secret (clean-events.ts); `seq` has no gaps; a listener sees every event from its subscription on, in order.

import type { Emit, Event, EventBody } from "../core/event.js";
import type { Clock } from "../core/ids.js";
import type { Redactor } from "../core/redactor.js";
import { CleanEvents } from "./clean-events.js";

export class EventHub {
  readonly #listeners = new Set<Queue>();
  readonly #session: string;
  readonly #clock: Clock;
  #seq = 0;

  readonly #clean: CleanEvents;

  constructor(session: string, clock: Clock, redactor: Redactor) {
    this.#clean = new CleanEvents(redactor);
    this.#session = session;
    this.#clock = clock;
  }

  readonly emit: Emit = (body: EventBody) => {
    for (const clean of this.#clean.of(body)) this.#send(clean);
  };

  #send(body: EventBody): void {
    this.#seq++;
    if (this.#listeners.size === 0) return;
    const time = new Date(this.#clock.now()).toISOString();
    const event = { ...body, seq: this.#seq, session: this.#session, agent: "main", time } as Event;
    for (const listener of this.#listeners) listener.push(event);
  }

  subscribe(): AsyncIterable<Event> {
    const queue = new Queue(() => this.#listeners.delete(queue));
    this.#listeners.add(queue);
    return queue;
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
