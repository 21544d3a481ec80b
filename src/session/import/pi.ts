// pi's sessions: a header line, then entries linked by id and parentId (version 1: in order, without links). The last
// entry is where the conversation stands. A compaction begins anew with its summary and the messages it kept.
// Left out: thinking, settings, states of extensions.

import type { JsonObject } from "../../core/json.js";
import type { Origin, Part } from "../../core/message.js";
import { isObject } from "../../lib/json.js";
import { Foreign, kindOf, listOf, objectOf, pathOf, stringOf, timeOf, userText } from "./foreign.js";

export function isPi(line: JsonObject): boolean {
  return line["type"] === "session" && typeof line["id"] === "string" && "cwd" in line;
}

export function readPi(lines: Iterable<JsonObject>): Foreign {
  const reading = new Reading();
  for (const line of lines) reading.take(line);
  return reading.foreign;
}

const providers: Readonly<Record<string, string>> = {
  anthropic: "anthropic",
  openai: "openai",
  google: "google",
  "amazon-bedrock": "bedrock",
};

class Reading {
  readonly foreign = new Foreign();
  /** The message of each turn, for compactions that keep some of them. */
  readonly #messages = new Map<number, JsonObject>();

  take(entry: JsonObject): void {
    const { foreign } = this;
    const { about } = foreign;
    switch (entry["type"]) {
      case "session":
        about.session ??= stringOf(entry["id"]);
        about.cwd ??= stringOf(entry["cwd"]);
        return;
      case "session_info":
        about.title = stringOf(entry["name"]) ?? about.title;
        this.#link(entry, this.#parent(entry));
        return;
      case "label":
        this.#label(entry);
        return;
      case "message":
        this.#link(entry, this.#message(objectOf(entry["message"]), this.#parent(entry), entry));
        return;
      case "custom_message":
        this.#link(entry, this.#told(entry["content"], this.#parent(entry), "harness", entry));
        return;
      case "branch_summary":
        this.#link(entry, this.#told(entry["summary"], this.#parent(entry), "harness", entry));
        return;
      case "compaction":
        this.#link(entry, this.#compaction(entry));
        return;
      default:
        foreign.drop(`entry of type ${kindOf(entry["type"])}`);
        this.#link(entry, this.#parent(entry));
    }
  }

  #parent(entry: JsonObject): number | null {
    return "parentId" in entry ? this.foreign.follow(entry["parentId"]) : this.foreign.head;
  }

  /** The entry means that turn, and the conversation stands there. */
  #link(entry: JsonObject, turn: number | null): void {
    this.foreign.place(entry["id"], turn);
    this.foreign.head = turn;
  }

  #label(entry: JsonObject): void {
    const { foreign } = this;
    const turn = foreign.has(entry["targetId"]) ? foreign.follow(entry["targetId"]) : null;
    const text = stringOf(entry["label"]);
    if (turn !== null && text !== null) foreign.labels.push({ turn, text });
    this.#link(entry, this.#parent(entry));
  }

  /** Begins anew: the summary, then what was kept, by itself or by the id of the first entry. */
  #compaction(entry: JsonObject): number | null {
    const from = this.#parent(entry);
    const tail = entry["retainedTail"];
    const kept: JsonObject[] = Array.isArray(tail)
      ? tail.map(objectOf)
      : this.#keptFrom(entry["firstKeptEntryId"], from);
    let at = this.#told(entry["summary"], null, "harness", entry);
    for (const message of kept) at = this.#message(message, at, entry);
    return at;
  }

  #keptFrom(first: unknown, end: number | null): JsonObject[] {
    const start = this.foreign.has(first) ? this.foreign.follow(first) : null;
    const path = pathOf(this.foreign.turns, end);
    const kept = start === null ? [] : path.slice(path.indexOf(start));
    if (!path.includes(start ?? -1)) return [];
    return kept.map((turn) => this.#messages.get(turn)).filter((message) => message !== undefined);
  }

  #message(message: JsonObject, parent: number | null, entry: JsonObject): number | null {
    const turn = this.#turn(message, parent, entry);
    if (turn !== null && turn !== parent) this.#messages.set(turn, message);
    return turn;
  }

  #turn(message: JsonObject, parent: number | null, entry: JsonObject): number | null {
    switch (message["role"]) {
      case "user":
      case "custom":
        return this.#told(message["content"], parent, message["role"] === "user" ? "user" : "harness", entry);
      case "branchSummary":
      case "compactionSummary":
        return this.#told(message["summary"], parent, "harness", entry);
      case "assistant":
        return this.#answer(message, parent, entry);
      case "toolResult": {
        const { toolCallId, content, isError } = message;
        if (typeof toolCallId !== "string" || !this.foreign.results.has(toolCallId)) {
          this.foreign.result(toolCallId, this.foreign.flat(content), isError === true);
        }
        return parent;
      }
      case "bashExecution":
        return this.#command(message, parent, entry);
      default:
        this.foreign.drop(`message of role ${kindOf(message["role"])}`);
        return parent;
    }
  }

  #told(content: unknown, parent: number | null, origin: Origin, entry: JsonObject): number | null {
    const parts = typeof content === "string" ? userText(content) : listOf(content).flatMap((b) => this.#part(b));
    if (parts.length === 0) return parent;
    return this.foreign.add({ parent, role: "user", origin, parts, time: timeOf(entry["timestamp"]) });
  }

  #answer(message: JsonObject, parent: number | null, entry: JsonObject): number | null {
    const provider = providers[stringOf(message["provider"]) ?? ""];
    if (provider && typeof message["model"] === "string") this.foreign.about.model = `${provider}/${message["model"]}`;
    const parts = listOf(message["content"]).flatMap((block) => this.#part(block));
    if (parts.length === 0) return parent;
    const time = timeOf(entry["timestamp"]);
    return this.foreign.add({ parent, role: "assistant", origin: "user", parts, time });
  }

  #part(value: unknown): Part[] {
    const block = objectOf(value);
    switch (block["type"]) {
      case "text":
        return userText(stringOf(block["text"]) ?? "");
      case "image":
        return this.foreign.image(block["mimeType"], block["data"]);
      case "toolCall":
        return [this.foreign.call(block["id"], block["name"], block["arguments"])];
      default:
        this.foreign.drop(`block of type ${isObject(value) ? kindOf(block["type"]) : "unknown"}`);
        return [];
    }
  }

  /** A command that the user ran beside the conversation, unless it was kept out of it. */
  #command(message: JsonObject, parent: number | null, entry: JsonObject): number | null {
    if (message["excludeFromContext"] === true) {
      this.foreign.drop("command that was kept out of the conversation");
      return parent;
    }
    const text = `I ran this command:\n${stringOf(message["command"]) ?? ""}\nIts output:\n${stringOf(message["output"]) ?? ""}`;
    return this.#told(text, parent, "user", entry);
  }
}
