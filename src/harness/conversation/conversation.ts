// Keeps the conversation of a session in shape before a run: the prompt of its segment, what changed since it was
// written, and results for calls that a crash left open.
// Invariant: the context block is written once per segment; later changes are appended, once (SPEC 1.4).

import type { Log, NewEntry } from "../../agent/ports.js";
import { type Entry, type EntryData, lastOf } from "../../core/entry.js";
import type { JsonObject } from "../../core/json.js";
import type { Message } from "../../core/message.js";
import type { Model, ToolDeclaration } from "../../core/model.js";
import { toolHashes } from "../../prompt/compose.js";
import { type ContextFacts, contextChanges, contextRecord, contextText } from "../../prompt/context.js";
import { stableText } from "../../prompt/stable.js";

export interface ConversationOptions {
  log: Log;
  model: Model;
  tools: readonly ToolDeclaration[];
  /** One line per deferred family. */
  deferred: readonly string[];
  facts(): Omit<ContextFacts, "announced">;
  /** What other agents have announced: all of it, or what is new to this conversation. */
  announced(which: "all" | "new"): string;
  /** Notes on the active path, newest last; asked once, when a session goes on from its log. */
  notes(): readonly Entry<"note">[];
  expectBreak(cause: string): void;
  /** The session began as a copy of a path of another one. */
  forked: boolean;
}

/** The code of the note that remembers what the model was last told about its surroundings. */
const factsNote = "context.facts";

export class Conversation {
  readonly #options: ConversationOptions;
  /** What the model was last told about its surroundings. */
  #told: JsonObject | undefined;

  constructor(options: ConversationOptions) {
    this.#options = options;
  }

  /** Called before the user's message of each run is appended. `results`: of calls that a provider has seen and that have none. */
  prepare(results: readonly Message[] = []): void {
    if (results.length > 0) this.#options.log.appendAll(results.map((data) => ({ type: "message", data })));
    const { tools, log } = this.#options;
    const prompt = lastOf(log.path(), "prompt");
    if (!prompt) this.#beginSegment(this.#beginning());
    else if (prompt.data.tools.join() !== toolHashes(tools).join()) this.#beginSegment("tools");
    else this.#goOn(prompt);
  }

  /** Why the conversation has no prompt yet. */
  #beginning(): string {
    const { forked, log } = this.#options;
    if (forked) return "fork";
    return lastOf(log.path(), "message") ? "import" : "create";
  }

  /** The head has moved to another branch: what the model was told there is in the log. */
  restart(): void {
    this.#told = undefined;
  }

  #goOn(prompt: Entry<"prompt">): void {
    const { log, model, facts, announced, notes, expectBreak } = this.#options;
    if (lastOf(log.path(), "model")?.data.id !== model.id) {
      expectBreak("model");
      log.append("model", { id: model.id, params: { maxOutput: model.facts.maxOutput } });
    }
    const told = notes().findLast((note) => note.data.code === factsNote && note.seq > prompt.seq);
    this.#told ??= told?.data.data ?? prompt.data.facts;
    this.#deliverChanges(this.#told, { ...facts(), announced: announced("new") });
  }

  /** Puts a compaction on the path and a new block behind it: one write, so that neither is ever there alone. */
  compact(data: EntryData["compaction"]): void {
    this.#beginSegment("compaction", [{ type: "compaction", data }]);
  }

  #beginSegment(cause: string, before: readonly NewEntry[] = []): void {
    const { log, model, tools, deferred, facts, announced, expectBreak } = this.#options;
    const now = { ...facts(), announced: announced("all") };
    if (cause !== "create") expectBreak(cause);
    // What others are doing changes too often to be part of the block.
    const lasting = { ...now, claims: "", announced: "" };
    this.#told = contextRecord(lasting);
    const prompt = {
      stable: stableText(deferred),
      context: contextText(lasting),
      tools: toolHashes(tools),
      facts: this.#told,
      cause,
    };
    log.appendAll([
      ...before,
      { type: "prompt", data: prompt },
      { type: "model", data: { id: model.id, params: { maxOutput: model.facts.maxOutput } } },
    ]);
    this.#deliverChanges(this.#told, now);
  }

  /** What the model knows by now is `told`. */
  #deliverChanges(told: JsonObject, now: ContextFacts): void {
    const { log } = this.#options;
    const text = contextChanges(told, now);
    if (text === "") return;
    this.#told = contextRecord(now);
    log.append("message", { role: "user", parts: [{ type: "text", text }], origin: "harness", context: true });
    log.append("note", { code: factsNote, text: "told the model what changed", data: this.#told });
  }
}
