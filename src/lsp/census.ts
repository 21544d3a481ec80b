// The files of a project that a server may know without having been shown them, and which of them have changed since the last
// look: a server that leaves watching to its client would go on answering from what it once read.
// Invariant: a change is told once. Bounded: of a very large project the files furthest from the root are not looked at.

import { filesBelow } from "../lib/below.js";
import type { Fs } from "../lib/fs.js";
import { extensionOf } from "./choose.js";
import { stampOf } from "./documents.js";
import type { ServerPlan } from "./plan.js";

/** As the protocol counts: created, changed, deleted. */
export interface FileEvent {
  path: string;
  type: 1 | 2 | 3;
}

const mostNames = 5_000;

export class Census {
  readonly #disk: Fs;
  readonly #root: string;
  readonly #plan: Pick<ServerPlan, "languages" | "marks">;
  #stamps: Map<string, string>;

  constructor(disk: Fs, root: string, plan: Pick<ServerPlan, "languages" | "marks">) {
    this.#disk = disk;
    this.#root = root;
    this.#plan = plan;
    this.#stamps = this.#count();
  }

  /** What has changed since the last look. */
  look(): FileEvent[] {
    const [before, now] = [this.#stamps, this.#count()];
    this.#stamps = now;
    const events: FileEvent[] = [];
    for (const [path, stamp] of now) {
      const known = before.get(path);
      if (known !== stamp) events.push({ path, type: known === undefined ? 1 : 2 });
    }
    for (const path of before.keys()) if (!now.has(path)) events.push({ path, type: 3 });
    return events;
  }

  /** The server is told of this change by somebody else. */
  told(path: string): void {
    const stamp = stampOf(this.#disk, path);
    if (stamp === null) this.#stamps.delete(path);
    else if (this.#stamps.has(path) || this.#counts(path)) this.#stamps.set(path, stamp);
  }

  #count(): Map<string, string> {
    const stamps = new Map<string, string>();
    for (const { path } of filesBelow(this.#disk, this.#root, mostNames)) {
      const stamp = this.#counts(path) ? stampOf(this.#disk, path) : null;
      if (stamp !== null) stamps.set(path, stamp);
    }
    return stamps;
  }

  #counts(path: string): boolean {
    const { languages, marks } = this.#plan;
    return Object.hasOwn(languages, extensionOf(path)) || marks.includes(path.slice(path.lastIndexOf("/") + 1));
  }
}
