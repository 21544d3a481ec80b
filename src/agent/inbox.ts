// Steering: what the user says while the agent works. FIFO with ids; nothing said is lost silently.
// `now` goes into the very next request, `queue` becomes a follow-up after the run (SPEC 1.29).
// Invariant: a steer is in the log before it is acknowledged, and what became of it is in the log as well, so one that a
// crash left waiting is found again. Its end hangs where its beginning does: a branch has both or none.

import type { Entry } from "../core/entry.js";
import { UserError } from "../core/errors.js";
import type { Emit, SteerMode } from "../core/event.js";
import type { Ids } from "../core/ids.js";
import { maxImages } from "../core/image.js";
import {
  changeOf,
  steerCodes as codes,
  retold,
  revised,
  revisedNote,
  type SteerChange,
  type Steered,
  steeredIn,
  steerId,
  steerNote,
} from "../core/steer.js";
import type { Log, NewEntry } from "./ports.js";

export interface Steer extends Steered {
  /** What its entry hangs on. */
  at: string | null;
}

type Spoken = Pick<Steered, "text" | "images">;

export class Inbox {
  #waiting: Steer[] = [];
  #returned: Steer[] = [];
  readonly #emit: Emit;
  readonly #ids: Ids;
  readonly #log: Pick<Log, "append">;
  /** The notes of the branch. */
  readonly #notes: () => readonly Entry<"note">[];
  #recalled = false;

  constructor(emit: Emit, ids: Ids, log: Pick<Log, "append">, notes: () => readonly Entry<"note">[]) {
    this.#emit = emit;
    this.#ids = ids;
    this.#log = log;
    this.#notes = notes;
  }

  get size(): number {
    return this.#waiting.length;
  }

  /** What the run that is under way, or else the newest, has given back to the user. */
  get returned(): readonly Spoken[] {
    return this.#returned.map(spoken);
  }

  /** A run begins: what the one before gave back is its user's business. */
  begin(): void {
    this.#returned = [];
  }

  /** Returns the id; what says nothing is refused. @throws UserError when it cannot be written */
  add({ text, images }: Spoken, mode: SteerMode): string {
    checkSaying({ text, images });
    if (images.length > maxImages) throw new UserError(`A message has at most ${maxImages} images.`);
    const steered = { id: this.#ids.next(), mode, text, images };
    const { parent } = this.#log.append("note", steerNote(steered));
    this.#take({ ...steered, at: parent });
    return steered.id;
  }

  /** What an earlier process accepted and did not come to deliver waits here again, as it was changed since; its user is told, once. */
  recall(): void {
    if (this.#recalled) return;
    this.#recalled = true;
    const mine = new Set(this.#waiting.map(({ id }) => id));
    let found: Steer[] = [];
    for (const { data, parent } of this.#notes()) {
      const id = steerId(data.data);
      if (data.code === codes.queued && !mine.has(id)) found.push({ ...steeredIn(data), at: parent });
      if (data.code === codes.revised) found = revised(found, id, changeOf(data));
      if (data.code === codes.delivered || data.code === codes.dropped) found = found.filter((each) => each.id !== id);
    }
    for (const steer of found) this.#take(steer);
    if (found.length === 0) return;
    const text = `What you had steered in before the session ended, and the model had not seen, waits again and goes into the next request (${found.length}).`;
    this.#emit({ type: "notice", level: "warning", code: "recalled", text });
  }

  /** The head has moved to another branch: what waits there is recalled from the log. */
  restart(): void {
    this.#waiting = [];
    this.#recalled = false;
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
  withdraw(id: string): Spoken | null {
    this.recall();
    const steer = this.#waiting.find((each) => each.id === id);
    if (!steer) return null;
    this.#log.append("note", { code: codes.dropped, text: id, data: { id } }, steer.at);
    this.#waiting = this.#waiting.filter((each) => each !== steer);
    this.#emit({ type: "steer.dropped", id });
    return spoken(steer);
  }

  /** Changes one that the model has not read; false when it does not wait any more. @throws UserError for a blank text */
  revise(id: string, change: SteerChange): boolean {
    this.recall();
    const steer = this.#waiting.find((each) => each.id === id);
    if (!steer) return false;
    const made = { text: steer.text, ...change };
    checkSaying(retold(steer, made.text));
    this.#log.append("note", revisedNote(id, made), steer.at);
    this.#waiting = revised(this.#waiting, id, made);
    this.#emit({ type: "steer.revised", id });
    return true;
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

function checkSaying({ text, images }: Spoken): void {
  if (text.trim() === "" && images.length === 0) throw new UserError("A steering message needs text.");
}

function spoken({ text, images }: Steer): Spoken {
  return { text, images };
}
