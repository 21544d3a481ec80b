// Steering: what the user says while the agent works. FIFO with ids; nothing said is lost silently.
// `now` goes into the very next request, `queue` becomes a follow-up after the run (SPEC 1.29).
// Invariant: a steer is in the log before it is acknowledged, and what became of it is in the log as well, so one that a
// crash left waiting is found again. Its end hangs where its beginning does: a branch has both or none.

import type { Entry } from "../core/entry.js";
import { UserError } from "../core/errors.js";
import type { Emit, SteerMode } from "../core/event.js";
import type { Ids } from "../core/ids.js";
import { maxImages } from "../core/image.js";
import type { ImagePart } from "../core/message.js";
import { steerCodes as codes, type Steered, steeredIn, steerId, steerNote } from "../core/steer.js";
import type { Log, NewEntry } from "./ports.js";

export interface Steer extends Steered {
  /** What its entry hangs on. */
  at: string | null;
}

export class Inbox {
  #waiting: Steer[] = [];
  #returned: Steer[] = [];
  readonly #emit: Emit;
  readonly #ids: Ids;
  readonly #log: Pick<Log, "append">;

  constructor(emit: Emit, ids: Ids, log: Pick<Log, "append">) {
    this.#emit = emit;
    this.#ids = ids;
    this.#log = log;
  }

  get size(): number {
    return this.#waiting.length;
  }

  /** What the run that is under way, or else the newest, has given back to the user. */
  get returned(): readonly Steer[] {
    return this.#returned;
  }

  /** A run begins: what the one before gave back is its user's business. */
  begin(): void {
    this.#returned = [];
  }

  /** Returns the id; what says nothing is refused. @throws UserError when it cannot be written */
  add(text: string, images: readonly ImagePart[], mode: SteerMode): string {
    if (text.trim() === "" && images.length === 0) throw new UserError("A steering message needs text.");
    if (images.length > maxImages) throw new UserError(`A message has at most ${maxImages} images.`);
    const steered = { id: this.#ids.next(), mode, text, images };
    const { parent } = this.#log.append("note", steerNote(steered));
    this.#take({ ...steered, at: parent });
    return steered.id;
  }

  /** What an earlier process accepted and did not come to deliver waits here again. */
  recall(notes: readonly Entry<"note">[]): void {
    const over = new Set(this.#waiting.map(({ id }) => id));
    for (const { data } of notes)
      if (data.code === codes.delivered || data.code === codes.dropped) over.add(steerId(data.data));
    for (const { data, parent } of notes) {
      if (data.code !== codes.queued || over.has(steerId(data.data))) continue;
      this.#take({ ...steeredIn(data), at: parent });
    }
  }

  /** The head has moved to another branch: what waits there is recalled from the log. */
  restart(): void {
    this.#waiting = [];
  }

  #take(steer: Steer): void {
    this.#waiting.push(steer);
    this.#emit({ type: "steer.queued", id: steer.id, mode: steer.mode });
  }

  /** Everything said with `now`, oldest first. It waits until it is `delivered`. */
  get now(): Steer[] {
    return this.#waiting.filter((steer) => steer.mode === "now");
  }

  /** The oldest one, whatever its mode: after a run has settled there is no difference left. */
  get next(): Steer | undefined {
    return this.#waiting[0];
  }

  /** The entry that goes with its message. */
  receipt({ id, at }: Steer): NewEntry {
    return { type: "note", data: { code: codes.delivered, text: id, data: { id } }, parent: at };
  }

  /** Its message and its receipt are written. */
  delivered({ id }: Steer): void {
    this.#waiting = this.#waiting.filter((steer) => steer.id !== id);
    this.#emit({ type: "steer.delivered", id });
  }

  /** Takes one out that the model has not read; null when it does not wait any more. */
  withdraw(id: string): Steer | null {
    const steer = this.#waiting.find((each) => each.id === id);
    if (!steer) return null;
    this.#log.append("note", { code: codes.dropped, text: id, data: { id } }, steer.at);
    this.#waiting = this.#waiting.filter((each) => each !== steer);
    this.#emit({ type: "steer.dropped", id });
    return steer;
  }

  /** Empties the inbox at the end of a run that will not deliver the rest. */
  drop(): Steer[] {
    const dropped = this.#waiting;
    this.#waiting = [];
    this.#returned.push(...dropped);
    for (const { id, at } of dropped) {
      this.#close(id, at);
      this.#emit({ type: "steer.dropped", id });
    }
    return dropped;
  }

  /** When the log cannot take it, that is what the run ends with; the steer then still waits in the log. */
  #close(id: string, at: string | null): void {
    try {
      this.#log.append("note", { code: codes.dropped, text: id, data: { id } }, at);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
    }
  }
}
