// A time-out that counts only time in which this process ran. A process that was stopped (Ctrl+Z, SIGSTOP, a machine that slept)
// finds all its timers due when it goes on, and they fire before anything is read from a socket or a pipe.
// Invariants: however long it was stopped, at most one part of the limit is used up by it; before time is called, what has
// arrived by then is read and its callbacks have run.

const parts = 8;

export class RunningTimer {
  readonly #over: () => void;
  readonly #timer: NodeJS.Timeout;
  #left = parts;
  #ended = false;

  constructor(ms: number, over: () => void) {
    this.#over = over;
    this.#timer = setTimeout(() => this.#tick(), ms / parts);
  }

  #tick(): void {
    if (this.#ended) return;
    this.#left--;
    if (this.#left > 0) this.#timer.refresh();
    // Runs after the poll phase, which comes between due timers and this.
    else setImmediate(() => this.#callTime());
  }

  #callTime(): void {
    if (this.#ended || this.#left > 0) return;
    this.end();
    this.#over();
  }

  /** Something has come: the whole limit counts from now. */
  refresh(): void {
    if (this.#ended) return;
    this.#left = parts;
    this.#timer.refresh();
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  /** It keeps no process alive. */
  unref(): this {
    this.#timer.unref();
    return this;
  }
}
