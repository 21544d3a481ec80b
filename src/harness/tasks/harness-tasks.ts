// The tasks of a harness, as far as they are known without loading anything: whether there are any, and the hall they are
// kept in, made when the first of them is asked for or looked at.
// Invariant: a harness without tasks pays at most one look at a directory.

import { join } from "node:path";
import { loadTaskHall } from "../lazy.js";
import type { HallOptions, TaskHall } from "./hall.js";

export class HarnessTasks {
  readonly #options: Omit<HallOptions, "dir">;
  readonly #dir: string;
  #hall: Promise<TaskHall> | undefined;

  constructor(options: Omit<HallOptions, "dir">, state: string) {
    this.#options = options;
    this.#dir = join(state, "tasks");
  }

  /** Was there ever one? */
  get exist(): boolean {
    return this.#hall !== undefined || this.#options.disk.existsSync(this.#dir);
  }

  open(): Promise<TaskHall> {
    this.#hall ??= loadTaskHall().then(({ TaskHall }) => new TaskHall({ ...this.#options, dir: this.#dir }));
    return this.#hall;
  }

  /** Ends what is not detached. */
  async close(): Promise<void> {
    const hall = await this.#hall;
    this.#hall = undefined;
    await hall?.close();
  }
}
