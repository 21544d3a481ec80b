// Draws once a second as long as something runs whose time is shown.

export class Ticker {
  readonly #tick: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(tick: () => void) {
    this.#tick = tick;
  }

  set(running: boolean): void {
    if (running === (this.#timer !== undefined)) return;
    clearInterval(this.#timer);
    this.#timer = running ? setInterval(this.#tick, 1_000) : undefined;
  }
}
