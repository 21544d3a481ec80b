// The syntax of what a session writes, loaded with the first file that is written: advice for each change, the list of
// what a run leaves broken, and the question whether a text parses.
// Invariant: a run that writes nothing loads nothing; begin() forgets what earlier runs left.

import type { Unfinished } from "../../agent/ports.js";
import type { ChangeObserver, ObservedChange } from "../../core/ports.js";
import type { Fs } from "../../lib/fs.js";
import { readSmall } from "../../lib/small-file.js";
import type { SyntaxObserver } from "../../syntax/index.js";
import { loadSyntax } from "../lazy.js";

/** Larger files have no verdict. */
const maxBytes = 4_000_000;

export class SyntaxWatch implements ChangeObserver, Unfinished {
  readonly #disk: Fs;
  #observer: Promise<SyntaxObserver> | undefined;

  constructor(disk: Fs) {
    this.#disk = disk;
  }

  begin(): void {
    this.#observer = undefined;
  }

  async observe(change: ObservedChange): Promise<string | null> {
    this.#observer ??= loadSyntax().then(({ SyntaxObserver }) => new SyntaxObserver((path) => this.#text(path)));
    return (await this.#observer).observe(change);
  }

  async list(): Promise<string | null> {
    return (await this.#observer)?.broken() ?? null;
  }

  async parses(path: string, text: string): Promise<"ok" | "error" | "unknown"> {
    return (await loadSyntax()).parses(path, text);
  }

  #text(path: string): string | null {
    const file = readSmall(this.#disk, path, maxBytes);
    return file && !file.cut ? file.text : null;
  }
}
