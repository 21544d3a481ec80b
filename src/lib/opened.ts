// Something that is opened at the first call and kept. What could not be opened is tried again at the next call: a disk that was
// full may have room again.

export class Opened<Value> {
  readonly #make: () => Promise<Value>;
  #value: Promise<Value> | undefined;

  constructor(make: () => Promise<Value>) {
    this.#make = make;
  }

  open(): Promise<Value> {
    if (this.#value) return this.#value;
    const opening = this.#make();
    this.#value = opening;
    // Whoever asked hears why.
    opening.catch(() => {
      if (this.#value === opening) this.#value = undefined;
    });
    return opening;
  }

  /** Undefined while nothing is open. */
  get now(): Promise<Value> | undefined {
    return this.#value;
  }

  /** The next call opens it anew; returns what was open. */
  forget(): Promise<Value> | undefined {
    const was = this.#value;
    this.#value = undefined;
    return was;
  }
}
