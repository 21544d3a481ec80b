// Exactly once: a call's identity is the provider's id plus the hash of tool and canonical input (SPEC 1.7).
//
//   id           input    ->
//   empty                 always a new call under an internal id
//   new                   a new call under the provider's id
//   known        same     replay: the recorded result, nothing is done (under an internal id, for the wire)
//   known        other    a new call under an internal id
//   twice in one message, same input: the second is dropped
//
// Invariants: after `adopt`, every call of the message has an id that is unique in the session; of a call only the places
// of question and answer in the log are held, and both are read again when its id comes again, which hardly one does.

import type { Entry } from "../core/entry.js";
import type { Ids } from "../core/ids.js";
import { type CallPart, callsOf, type Message, type Part, type ResultPart } from "../core/message.js";
import { sha256 } from "../lib/hash.js";
import { canonical } from "../lib/json.js";

/** Entries of the log; without an `asked` it is never the same as another. */
interface Known {
  asked?: string;
  answered?: string;
}

/** Of an entry that is not there. */
const nothing: Message = { role: "tool", parts: [] };

export interface IdentityPorts {
  ids: Ids;
  /** An entry of the log by its id. */
  entry(id: string): Entry | undefined;
  /** How the log writes a text; a call is known from there. */
  written(text: string): string;
}

export class CallIdentity {
  readonly #known = new Map<string, Known>();
  readonly #ports: IdentityPorts;

  constructor(ports: IdentityPorts, path: Iterable<Entry>) {
    this.#ports = ports;
    for (const entry of path) this.learn(entry);
  }

  /**
   * The head has moved to another branch. Ids of the branch that was left stay taken, but what came of their calls there
   * is no result here: the same call runs again.
   */
  restart(path: Iterable<Entry>): void {
    for (const id of this.#known.keys()) this.#known.set(id, {});
    for (const entry of path) this.learn(entry);
  }

  /** The log has taken an entry: what it asks and answers is there from now on. */
  learn(entry: Entry): void {
    if (entry.type !== "message") return;
    for (const part of entry.data.parts) {
      if (part.type === "call") this.#known.set(part.id, { asked: entry.id });
      const known = part.type === "result" ? this.#known.get(part.callId) : undefined;
      if (known) known.answered = entry.id;
    }
  }

  /** The message with ids made unique, and the recorded results of the calls that are replays. */
  adopt(message: Message): { message: Message; replays: Map<string, ResultPart> } {
    const replays = new Map<string, ResultPart>();
    const here = new Map<string, string>();
    const parts: Part[] = [];
    for (const part of message.parts) {
      const call = part.type === "call" ? this.#adoptCall(part, here, replays) : part;
      if (call) parts.push(call);
    }
    return { message: { ...message, parts }, replays };
  }

  #adoptCall(call: CallPart, here: Map<string, string>, replays: Map<string, ResultPart>): CallPart | undefined {
    const hash = this.#hashOf(call);
    if (call.id !== "" && here.get(call.id) === hash) return undefined;
    const known = call.id === "" ? undefined : this.#known.get(call.id);
    const id = call.id === "" || known ? `call_${this.#ports.ids.next()}` : call.id;
    const result = known && this.#recorded(call.id, known, hash);
    if (result) replays.set(id, result);
    if (call.id !== "") here.set(call.id, hash);
    this.#known.set(id, {});
    return { ...call, id };
  }

  /** The result of a call that was the same. */
  #recorded(id: string, { asked, answered }: Known, hash: string): ResultPart | undefined {
    const before = callsOf(this.#message(asked)).find((call) => call.id === id);
    if (!before || this.#hashOf(before) !== hash) return undefined;
    return this.#message(answered).parts.find((part) => part.type === "result" && part.callId === id) as
      | ResultPart
      | undefined;
  }

  #message(id: string | undefined): Message {
    const entry = id === undefined ? undefined : this.#ports.entry(id);
    return entry?.type === "message" ? entry.data : nothing;
  }

  #hashOf(call: CallPart): string {
    return sha256(this.#ports.written(`${call.tool}\n${call.raw ?? canonical(call.input)}`));
  }
}
