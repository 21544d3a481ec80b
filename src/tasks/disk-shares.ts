// How many bytes commands in the background may print: each its own share, and those of a session together not more than
// four of them, counted when one begins by what those before it have left in their logs.
// Invariant: the share of a task does not change once it was asked for, so what is cut off its log in the end is what its
// watcher was told.

import type { TaskRecord } from "../core/task.js";

const sharesOfSession = 4;

export class DiskShares {
  readonly #each: number;
  /** Bytes of commands that have ended, by session and task. */
  readonly #printed = new Map<string, Map<string, number>>();
  readonly #given = new Map<string, number>();

  constructor(each: number) {
    this.#each = each;
  }

  /** What a command has printed by its end. */
  ended({ id, owner, output }: TaskRecord): void {
    this.#given.delete(id);
    if (!output || output.bytes === 0) return;
    const ofSession = this.#printed.get(owner.session) ?? new Map<string, number>();
    this.#printed.set(owner.session, ofSession.set(id, output.bytes - output.dropped));
  }

  of({ id, owner }: TaskRecord): number {
    const given = this.#given.get(id);
    if (given !== undefined) return given;
    let left = sharesOfSession * this.#each;
    for (const [task, bytes] of this.#printed.get(owner.session) ?? []) if (task !== id) left -= bytes;
    const share = Math.max(0, Math.min(this.#each, left));
    this.#given.set(id, share);
    return share;
  }
}
