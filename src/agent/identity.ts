// Exactly once: a call's identity is the provider's id plus the hash of tool and canonical input (SPEC 1.7).
//
//   id           input    ->
//   empty                 always a new call under an internal id
//   new                   a new call under the provider's id
//   known        same     replay: the recorded result, nothing is done (under an internal id, for the wire)
//   known        other    a new call under an internal id
//   twice in one message, same input: the second is dropped
//
// Invariant: after `adopt`, every call of the message has an id that is unique in the session.

import type { Entry } from "../core/entry.js";
import type { Ids } from "../core/ids.js";
import type { CallPart, Message, Part, ResultPart } from "../core/message.js";
import { sha256 } from "../lib/hash.js";
import { canonical } from "../lib/json.js";

interface Known {
  /** Hashed only when its id comes again, which hardly one does; null = never the same as another. */
  call: CallPart | null;
  result?: ResultPart;
}

export class CallIdentity {
  readonly #known = new Map<string, Known>();
  readonly #ids: Ids;
  readonly #written: (text: string) => string;

  /** `written`: how the log writes a text; after a resume a call is known from there. */
  constructor(ids: Ids, path: Iterable<Entry>, written: (text: string) => string = (text) => text) {
    this.#ids = ids;
    this.#written = written;
    for (const entry of path) if (entry.type === "message") this.#learn(entry.data);
  }

  /**
   * The head has moved to another branch. Ids of the branch that was left stay taken, but what came of their calls there
   * is no result here: the same call runs again.
   */
  restart(path: Iterable<Entry>): void {
    for (const id of this.#known.keys()) this.#known.set(id, { call: null });
    for (const entry of path) if (entry.type === "message") this.#learn(entry.data);
  }

  #learn(message: Message): void {
    for (const part of message.parts) {
      if (part.type === "call") this.#known.set(part.id, { call: part });
      if (part.type === "result") this.settle(part);
    }
  }

  /** Remembers the result of a call, for replays. */
  settle(result: ResultPart): void {
    const known = this.#known.get(result.callId);
    if (known) known.result = result;
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
    const id = call.id === "" || known ? `call_${this.#ids.next()}` : call.id;
    if (known?.result && known.call && this.#hashOf(known.call) === hash) replays.set(id, known.result);
    if (call.id !== "") here.set(call.id, hash);
    this.#known.set(id, { call });
    return { ...call, id };
  }

  #hashOf(call: CallPart): string {
    return sha256(this.#written(`${call.tool}\n${call.raw ?? canonical(call.input)}`));
  }
}
