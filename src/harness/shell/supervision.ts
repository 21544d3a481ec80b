// What happens once before the first child of a harness: keys leave the environment that the kernel shows of this process,
// and the supervisor starts that is shared by all of its sessions.
// Invariant: whoever starts a child has waited for `hide` or `open`.

import type { EventBody } from "../../core/event.js";
import type { Fs } from "../../lib/fs.js";
import type { Hidden } from "../../lib/initial-environment.js";
import { Opened } from "../../lib/opened.js";
import type { Supervisor } from "../../lib/supervisor.js";
import { loadHiding, loadSupervisor } from "../lazy.js";

export const keysVisible: EventBody = {
  type: "notice",
  level: "warning",
  code: "keys.visible",
  text: "Keys in the environment could not be hidden: commands can read them in /proc. Take keys from models.*.apiKeyHelper.",
};

export class Supervision {
  readonly #disk: Fs;
  readonly #directory: string;
  readonly #withheld: (name: string) => boolean;
  #hidden: Promise<Hidden> | undefined;
  readonly #supervisor = new Opened(() => this.#start());

  /** `directory`: where running harnesses are on record. `withheld`: names of variables that children do not get. */
  constructor(disk: Fs, directory: string, withheld: (name: string) => boolean) {
    this.#disk = disk;
    this.#directory = directory;
    this.#withheld = withheld;
  }

  /** Resolves when no child can read a key from /proc, or to `visible` when that could not be brought about. */
  hide(): Promise<Hidden> {
    this.#hidden ??= loadHiding().then(({ hideInitial }) => hideInitial(this.#disk, this.#withheld));
    return this.#hidden;
  }

  /** Resolves when it watches. */
  open(): Promise<Supervisor> {
    return this.#supervisor.open();
  }

  async #start(): Promise<Supervisor> {
    await this.hide();
    const { Supervisor } = await loadSupervisor();
    const supervisor = new Supervisor(this.#disk, this.#directory);
    await supervisor.ready();
    return supervisor;
  }

  /** Ends what was left running. A later child starts a new supervisor. */
  async close(): Promise<void> {
    await (await this.#supervisor.forget())?.close();
  }
}
