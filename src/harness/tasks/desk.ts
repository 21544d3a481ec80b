// Tasks as seen from outside of any session: listed, shown, read, ended. What is shown is true: of whatever belonged to a
// process that is gone it is first found out how it ended.
// Invariant: nothing is started here, and nothing is told to a session: that is its own to do when it goes on.

import { UserError } from "../../core/errors.js";
import { isSettled, type OutputRange, type TaskOutput, type TaskRecord } from "../../core/task.js";
import type { Fs } from "../../lib/fs.js";
import { holdsPort } from "../../lib/listeners.js";
import { knownSecrets } from "../../secrets/known.js";
import { readOutput } from "../../tasks/output.js";
import { taskMark } from "../../tasks/shell-watch.js";
import type { Tasks } from "../api/index.js";
import type { TaskHall } from "./hall.js";
import type { HarnessTasks } from "./harness-tasks.js";

export class TaskDesk implements Tasks {
  readonly #tasks: HarnessTasks;
  readonly #disk: Fs;

  constructor({ tasks, disk }: { tasks: HarnessTasks; disk: Fs }) {
    this.#tasks = tasks;
    this.#disk = disk;
  }

  async list(): Promise<TaskRecord[]> {
    return this.#tasks.exist ? (await this.#tasks.open()).list() : [];
  }

  async faults(): Promise<string[]> {
    const found: string[] = [];
    if (this.#tasks.exist) (await this.#tasks.open()).onFault(({ text }) => found.push(knownSecrets.all(text)))();
    return found;
  }

  async show(named: string): Promise<TaskRecord> {
    const hall = await this.#hall();
    const ids = hall.store.ids();
    const found = ids.includes(named) ? [named] : ids.filter((id) => id.startsWith(named));
    const record = found.length === 1 && found[0] !== undefined ? hall.queue.find(found[0]) : undefined;
    if (record) return record;
    const what = found.length > 1 ? `${found.length} tasks begin with` : "There is no task";
    throw new UserError(`${what} ${JSON.stringify(named)}.`, "`cinch tasks list` shows them.");
  }

  async output(named: string, range: OutputRange): Promise<TaskOutput> {
    const { id, kind, result = "" } = await this.show(named);
    if (kind === "shell")
      return readOutput(this.#disk, (await this.#hall()).store.file(id, "log"), range, knownSecrets);
    const bytes = Buffer.byteLength(result);
    return { text: result, from: 0, next: bytes, bytes, dropped: 0 };
  }

  async cancel(named: string): Promise<TaskRecord> {
    const { id } = await this.show(named);
    const record = await (await this.#hall()).cancel(id);
    if (record && isSettled(record.state)) return record;
    const text = `Task ${id} was asked to end and has not ended yet.`;
    throw new UserError(text, "Look again with `cinch tasks show`; its Cinch may be busy.", 1);
  }

  async listens(named: string, port: number): Promise<boolean | null> {
    const { id, pgid } = await this.show(named);
    return pgid === undefined ? null : holdsPort(port, { group: pgid, mark: taskMark(id) });
  }

  async #hall(): Promise<TaskHall> {
    const hall = await this.#tasks.open();
    await hall.settle();
    return hall;
  }
}
