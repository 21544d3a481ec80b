// An imported conversation as entries of a new session.
// Invariants: every request composed from it is one that all providers take: it begins with a user, every call has its
// result right behind it, ids and names are of the form they accept and unique. Nothing is run, nothing is looked up.

import type { EntryData, EntryType } from "../../core/entry.js";
import type { CallPart, Part } from "../../core/message.js";
import type { Foreign, Turn } from "./foreign.js";

/** Where the entries go. `time`: of the source, in order of the file. */
export type Append = <T extends EntryType>(
  type: T,
  data: EntryData[T],
  parent: string | null,
  time: number | null,
) => string;

export interface Planted {
  messages: number;
  calls: number;
}

const unanswered = "The result of this call is not in the imported file. Look at its effects before you repeat it.";
const beginning = "The beginning of this conversation is not in the imported file.";

export function plant(foreign: Foreign, append: Append): Planted {
  const planting = new Planting(foreign, append);
  for (const turn of foreign.turns) planting.add(turn);
  planting.finish();
  return { messages: foreign.turns.length, calls: planting.calls };
}

class Planting {
  calls = 0;
  readonly #foreign: Foreign;
  readonly #append: Append;
  /** By turn: the last entry that it became, which what follows hangs on. */
  readonly #ends: string[] = [];
  readonly #models: (string | undefined)[] = [];
  readonly #ids = new Set<string>();
  readonly #answered = new Set<string>();

  constructor(foreign: Foreign, append: Append) {
    this.#foreign = foreign;
    this.#append = append;
  }

  add(turn: Turn): void {
    const { parent, time, model, usage } = turn;
    let at = parent === null ? null : (this.#ends[parent] ?? null);
    const before = parent === null ? undefined : this.#models[parent];
    if (at === null && turn.role === "assistant") at = this.#say(beginning, time);
    if (model && model.id !== before) {
      at = this.#append("model", { id: model.id, params: { maxOutput: model.maxOutput } }, at, time);
    }
    this.#models.push(model?.id ?? before);
    if (turn.role === "user") {
      this.#ends.push(this.#append("message", { role: "user", parts: turn.parts, origin: turn.origin }, at, time));
      return;
    }
    const sources = turn.parts.filter((part) => part.type === "call");
    const named = new Map<Part, CallPart>(sources.map((call) => [call, this.#named(call)]));
    const parts = turn.parts.map((part) => named.get(part) ?? part);
    const stop = sources.length > 0 ? "tools" : "end";
    at = this.#append("message", { role: "assistant", parts, stop, ...(usage && { usage }) }, at, time);
    if (sources.length > 0) at = this.#append("message", this.#results(sources, named), at, time);
    this.#ends.push(at);
  }

  #say(text: string, time: number | null): string {
    const parts: Part[] = [{ type: "text", text }];
    return this.#append("message", { role: "user", parts, origin: "harness" }, null, time);
  }

  #results(sources: readonly CallPart[], named: ReadonlyMap<Part, CallPart>): EntryData["message"] {
    const parts = sources.map((source): Part => {
      const { id: callId, tool } = named.get(source) as CallPart;
      const known = this.#foreign.results.get(source.id);
      this.#answered.add(source.id);
      return { type: "result", callId, tool, text: known?.text ?? unanswered, isError: known?.isError ?? true };
    });
    this.calls += sources.length;
    return { role: "tool", parts };
  }

  #named({ id, tool, input }: CallPart): CallPart {
    let unique = /^[A-Za-z0-9_-]{1,64}$/.test(id) ? id : `imported_${this.#ids.size}`;
    for (let n = this.#ids.size; this.#ids.has(unique); n++) unique = `imported_${n}`;
    this.#ids.add(unique);
    return { type: "call", id: unique, tool: nameOf(tool), input };
  }

  /** Labels, and the place where the conversation stood. */
  finish(): void {
    const { labels, head, turns, results } = this.#foreign;
    for (const { turn, text } of labels) {
      const target = this.#ends[turn] ?? null;
      if (target !== null) this.#append("label", { target, text }, target, null);
    }
    for (const call of results.keys()) if (!this.#answered.has(call)) this.#foreign.drop("result without a call");
    if (head !== turns.length - 1) {
      const target = head === null ? null : (this.#ends[head] ?? null);
      this.#append("head", { target }, target, null);
    }
  }
}

/** Vendors want names of this form, beginning with a letter. */
function nameOf(tool: string): string {
  const name = tool.replace(/[^A-Za-z0-9_-]/g, "_");
  return (/^[A-Za-z_]/.test(name) ? name : `tool_${name}`).slice(0, 64);
}
