// The supervisor of a harness, made when the first child is about to start and shared by all of its sessions.

import type { Fs } from "../lib/fs.js";
import type { Supervisor } from "../lib/supervisor.js";
import { loadSupervisor } from "./lazy.js";

export class Supervision {
  readonly #disk: Fs;
  readonly #directory: string;
  #supervisor: Promise<Supervisor> | undefined;

  /** `directory`: where running harnesses are on record. */
  constructor(disk: Fs, directory: string) {
    this.#disk = disk;
    this.#directory = directory;
  }

  /** Resolves when it watches. */
  open(): Promise<Supervisor> {
    this.#supervisor ??= this.#start();
    return this.#supervisor;
  }

  async #start(): Promise<Supervisor> {
    const { Supervisor } = await loadSupervisor();
    const supervisor = new Supervisor(this.#disk, this.#directory);
    await supervisor.ready();
    return supervisor;
  }

  /** Ends what was left running. A later child starts a new supervisor. */
  async close(): Promise<void> {
    const supervisor = await this.#supervisor;
    this.#supervisor = undefined;
    await supervisor?.close();
  }
}
