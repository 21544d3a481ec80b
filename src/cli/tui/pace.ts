// When the conversation is drawn: at most thirty times a second, and never more than a sixth of the time, so that keys and the
// run beside it go on however much there is to draw.

const ms = 33;
/** What a frame took, so many times, is left to others. */
const times = 5;

export class Pace {
  readonly #now: () => number;
  readonly #draw: () => void;
  #next = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  /** Nothing may be drawn. */
  #held = false;

  constructor(now: () => number, draw: () => void) {
    this.#now = now;
    this.#draw = draw;
  }

  /** A frame is on its way. */
  get due(): boolean {
    return this.#timer !== undefined;
  }

  /** No frame until `release`, whoever asks for one. */
  hold(): void {
    this.stop();
    this.#held = true;
  }

  release(): void {
    this.#held = false;
  }

  soon(): void {
    if (this.#held) return;
    this.#timer ??= setTimeout(() => this.frame(), Math.max(0, this.#next - this.#now()));
  }

  /** Now. */
  frame(): void {
    this.stop();
    if (this.#held) return;
    const began = this.#now();
    this.#draw();
    const done = this.#now();
    this.#next = done + Math.max(ms, (done - began) * times);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
