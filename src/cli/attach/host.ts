// The process that holds a session, towards terminals that have attached to it: writes what happens to their spools, and takes
// what they say, one after the other.
// Invariants: `taken` is written only when the text is in the log, or the answer was the first to its question; each number of a
// guest is taken at most once; what an attached terminal says is words for the model, never a command of this process, unless it is an
// answer by the id of a question, which nobody knows who was not shown it.

import { join } from "node:path";
import { codeOf, messageOf, UserError } from "../../core/errors.js";
import type { Event } from "../../core/event.js";
import { textOf } from "../../core/message.js";
import type { Session } from "../../index.js";
import type { Fs } from "../../lib/fs.js";
import { isObject, parseJson } from "../../lib/json.js";
import { readSmall } from "../../lib/small-file.js";
import type { Attachable } from "./door.js";
import { followable } from "./followable.js";
import { Guest } from "./host-guest.js";
import { isOurs, meetingPlace, type Said, type Spoken } from "./spool.js";

const recentCharacters = 2_000;

export class AttachHost {
  readonly #disk: Fs;
  readonly #at: Attachable;
  readonly #guests = new Map<string, Guest>();
  #session: Session;
  #over = false;
  /** What begins a run, until it is in the log. */
  #beginning: { guest: Guest; n: number } | undefined;
  /** Who has said a steering that waits, by its id. */
  readonly #steered = new Map<string, { guest: Guest; n: number }>();

  constructor(disk: Fs, at: Attachable) {
    this.#disk = disk;
    this.#at = at;
    this.#session = at.session();
    void this.#listen(this.#session);
  }

  /** Lets in who has come, hears who is there. A disk that fails costs whoever is attached, and never the session. */
  look(): "nobody" | "somebody" {
    try {
      return this.#look();
    } catch (error) {
      // Somebody has gone between two looks at the place.
      if (codeOf(error) === "ENOENT") return "somebody";
      if (codeOf(error) === undefined) throw error;
      this.close(messageOf(error));
      return "nobody";
    }
  }

  #look(): "nobody" | "somebody" {
    const session = this.#at.session();
    if (session.id !== this.#session.id) {
      this.close("The process that held the session has gone on with another one.");
      return "nobody";
    }
    // Opened anew, in another mode for example.
    if (session !== this.#session) void this.#listen(session);
    this.#session = session;
    this.#letIn();
    for (const [name, guest] of this.#guests) {
      if (guest.hasLeft) this.#guests.delete(name);
      else this.#hear(guest);
    }
    if (this.#guests.size > 0) return "somebody";
    this.close("");
    return "nobody";
  }

  close(text: string): void {
    this.#over = true;
    for (const guest of this.#guests.values()) guest.end(text);
    this.#guests.clear();
  }

  #letIn(): void {
    const place = meetingPlace(this.#at.state, this.#session.id);
    if (!isOurs(this.#disk, place, "directory")) return;
    for (const name of this.#disk.readdirSync(place)) {
      if (this.#guests.has(name)) continue;
      const guest = Guest.meet(this.#disk, join(place, name));
      if (!guest) continue;
      this.#guests.set(name, guest);
      const { root, model } = this.#session.init;
      const about = { session: this.#session.id, root, model, pid: process.pid, busy: this.#at.busy() };
      guest.tell({ type: "hello", ...about, said: newest(this.#session) });
      for (const question of this.#session.questions) guest.tell({ type: "question", question });
    }
  }

  #hear(guest: Guest): void {
    for (const n of guest.saying()) {
      // One after the other: what begins a run is in the log before the next is taken.
      if (this.#beginning) return;
      const said = saidIn(readSmall(this.#disk, guest.sayPath(n), 1024 * 1024)?.text ?? "", n);
      try {
        if (said) this.#take(guest, said);
        else guest.answer({ type: "refused", n, text: "It could not be understood." });
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        guest.answer({ type: "refused", n, text: error.message });
      }
    }
  }

  #take(guest: Guest, said: Said): void {
    const { n } = said;
    if ("cancel" in said) {
      this.#session.cancel();
      guest.answer({ type: "taken", n });
      return;
    }
    if ("question" in said) {
      const via = `an attached terminal (process ${guest.pid})`;
      const isFirst = this.#session.answer(said.question, { ...said.answer, via });
      const text = "The question is not open any more: it was answered, or its run has ended.";
      guest.answer(isFirst ? { type: "taken", n } : { type: "refused", n, text });
      return;
    }
    const id = this.#at.hear(said.text, said.mode);
    if (id === null) {
      this.#beginning = { guest, n };
      return;
    }
    this.#steered.set(id, { guest, n });
    guest.answer({ type: "taken", n });
  }

  async #listen(session: Session): Promise<void> {
    for await (const event of session.events()) {
      if (this.#over) return;
      if (session === this.#session) this.#event(event, session);
    }
  }

  #event(event: Event, session: Session): void {
    if (event.agent === "main") this.#progress(event, session);
    const shown = followable(event);
    if (shown) for (const guest of this.#guests.values()) guest.tell({ type: "event", event: shown });
  }

  #progress(event: Event, session: Session): void {
    if (event.type === "run.end") this.#begun("refused");
    if (event.type === "entry.append" && event.kind === "message") {
      const entry = session.entry(event.entry);
      if (entry?.type === "message" && entry.data.role === "user" && entry.data.origin === "user") this.#begun("taken");
    }
    if (event.type !== "steer.delivered" && event.type !== "steer.dropped") return;
    const by = this.#steered.get(event.id);
    this.#steered.delete(event.id);
    by?.guest.tell({ type: event.type === "steer.delivered" ? "delivered" : "dropped", n: by.n });
  }

  #begun(how: "taken" | "refused"): void {
    const { guest, n } = this.#beginning ?? {};
    this.#beginning = undefined;
    if (!guest || n === undefined) return;
    guest.answer(how === "taken" ? { type: "taken", n } : { type: "refused", n, text: "No run began with it." });
    if (how === "taken") guest.tell({ type: "delivered", n });
  }
}

function saidIn(text: string, n: number): Said | null {
  const value = parseJson(text);
  if (!isObject(value)) return null;
  const { mode, text: words, cancel, question, answer } = value;
  if (cancel === true) return { n, cancel };
  if (question !== undefined) return answerIn(n, question, answer);
  if ((mode !== "now" && mode !== "queue") || typeof words !== "string" || words.trim() === "") return null;
  return { n, mode, text: words };
}

function answerIn(n: number, question: unknown, answer: unknown): Said | null {
  if (typeof question !== "string" || !isObject(answer)) return null;
  const { decision, feedback, remember } = answer;
  if (decision !== "allow" && decision !== "deny") return null;
  const words = typeof feedback === "string" ? { feedback } : {};
  return { n, question, answer: { decision, ...words, ...(remember === true ? { remember } : {}) } };
}

/** The newest words of the user and of the agent. */
function newest(session: Session): Spoken[] {
  const found = new Map<string, string>();
  for (const entry of session.entries()) {
    if (entry.type !== "message") continue;
    const { role, origin } = entry.data;
    const text = textOf(entry.data).trim();
    if (text === "" || !(role === "assistant" || (role === "user" && origin === "user"))) continue;
    // The order of the two is the order in which they were said last.
    found.delete(role);
    found.set(role, text.length > recentCharacters ? `… ${text.slice(-recentCharacters)}` : text);
  }
  return [...found].map(([role, text]) => ({ role: role as Spoken["role"], text }));
}
