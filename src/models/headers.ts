// `Headers` as far as the provider packages use it, and as the type of our answers (http.ts).
// Why: the first touch of the global `Headers` makes node load its whole fetch (measured: 10 ms before the first request).
// The build gives it to every package it bundles, for they pass headers to each other; unbundled, they use the global one.
// Not here: validation of names and values, which node:http does, and more than one value per name.

type Init = Iterable<readonly [string, string]> | Readonly<Record<string, string | undefined>>;

export class Headers {
  readonly #all = new Map<string, string>();

  constructor(init: Init = {}) {
    const entries = Symbol.iterator in init ? init : Object.entries(init);
    for (const [name, value] of entries) if (value !== undefined) this.append(name, value);
  }

  get(name: string): string | null {
    return this.#all.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.#all.has(name.toLowerCase());
  }

  set(name: string, value: string): void {
    this.#all.set(name.toLowerCase(), value.trim());
  }

  append(name: string, value: string): void {
    const before = this.get(name);
    this.#all.set(name.toLowerCase(), before === null ? value.trim() : `${before}, ${value.trim()}`);
  }

  delete(name: string): void {
    this.#all.delete(name.toLowerCase());
  }

  forEach(visit: (value: string, name: string, all: Headers) => void): void {
    for (const [name, value] of this) visit(value, name, this);
  }

  keys(): IterableIterator<string> {
    return this.#sorted().keys();
  }

  values(): IterableIterator<string> {
    return this.#sorted().values();
  }

  entries(): IterableIterator<[string, string]> {
    return this.#sorted().entries();
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.entries();
  }

  /** By name, as the standard has it. */
  #sorted(): Map<string, string> {
    return new Map([...this.#all].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
