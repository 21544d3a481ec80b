// Codex's rollouts: `{timestamp, type, payload}` a line; the conversation is in the response items, in order. What was
// compacted begins anew with the history that replaced it; a rollback takes turns of the user back, here as a branch.
// Left out: reasoning, the program's own instructions and surroundings, events, which repeat what the items say.

import type { Json, JsonObject } from "../../core/json.js";
import type { Part } from "../../core/message.js";
import { isObject, parseJson } from "../../lib/json.js";
import { Foreign, kindOf, listOf, objectOf, stringOf, timeOf, userText } from "./foreign.js";

export function isCodex(line: JsonObject): boolean {
  if (line["type"] === "session_meta" && isObject(line["payload"])) return true;
  // Before there were envelopes: the first line has no type, and items stand bare.
  return line["type"] === undefined && typeof line["id"] === "string" && "instructions" in line;
}

export function readCodex(lines: Iterable<JsonObject>): Foreign {
  const reading = new Reading();
  for (const line of lines) reading.take(line);
  return reading.foreign;
}

/** What Codex itself tells the model about where it is; Cinch tells it anew. */
const surroundings =
  /^\s*(<environment_context>|<user_instructions>|<permissions instructions>|# AGENTS\.md instructions)/;

class Reading {
  readonly foreign = new Foreign();
  /** The turn that answers are gathered in; null after anything else. */
  #answer: Part[] | null = null;
  #time: number | null = null;

  take(line: JsonObject): void {
    const { about } = this.foreign;
    const { type } = line;
    const payload = objectOf(line["payload"]);
    this.#time = timeOf(line["timestamp"]) ?? this.#time;
    switch (type) {
      case "session_meta":
        about.session ??= stringOf(payload["id"]);
        about.cwd ??= stringOf(payload["cwd"]);
        return;
      case "turn_context":
        if (typeof payload["model"] === "string") about.model = `openai/${payload["model"]}`;
        return;
      case "response_item":
        this.#item(payload);
        return;
      case "compacted":
        this.#compacted(payload);
        return;
      case "event_msg":
        this.#event(payload);
        return;
      case undefined:
        about.session ??= stringOf(line["id"]);
        return;
      default:
        this.#item(line);
    }
  }

  #event(payload: JsonObject): void {
    if (payload["type"] !== "thread_rolled_back") {
      this.foreign.drop("event");
      return;
    }
    let turns = Number(payload["num_turns"]);
    let at = this.foreign.head;
    for (; at !== null && turns > 0; at = this.foreign.turns[at]?.parent ?? null) {
      if (this.foreign.turns[at]?.role === "user") turns--;
    }
    this.foreign.head = at;
    this.#answer = null;
  }

  #compacted(payload: JsonObject): void {
    this.foreign.head = null;
    this.#answer = null;
    const history = payload["replacement_history"];
    if (Array.isArray(history)) for (const item of history) this.#item(objectOf(item));
    const summary = stringOf(payload["message"]) ?? "";
    if (this.foreign.head === null && summary !== "") this.#user(userText(summary), true);
  }

  #item(item: JsonObject): void {
    const { foreign } = this;
    const { type, call_id: id } = item;
    switch (type) {
      case "message":
        this.#message(item);
        return;
      case "function_call":
        this.#call(id, item["name"], argumentsOf(item["arguments"]));
        return;
      case "custom_tool_call":
        this.#call(id, item["name"], item["input"]);
        return;
      case "local_shell_call":
        this.#call(id, "local_shell", item["action"]);
        return;
      case "function_call_output":
      case "custom_tool_call_output":
        this.#output(id, item["output"]);
        return;
      default:
        foreign.drop(`item of type ${kindOf(type)}`);
    }
  }

  #message({ role, content }: JsonObject): void {
    const { foreign } = this;
    const parts = listOf(content).flatMap((value): Part[] => {
      const block = objectOf(value);
      if (typeof block["text"] === "string") return userText(block["text"]);
      const [, mediaType, data] = /^data:([\w/+.-]+);base64,(.*)$/s.exec(stringOf(block["image_url"]) ?? "") ?? [];
      return foreign.image(mediaType, data);
    });
    if (role === "assistant") {
      this.#gather(parts);
      return;
    }
    const [first] = parts;
    if (role !== "user" || (first?.type === "text" && surroundings.test(first.text))) {
      foreign.drop("instructions and surroundings");
      return;
    }
    this.#user(parts, false);
  }

  #user(parts: Part[], summary: boolean): void {
    this.#answer = null;
    if (parts.length === 0) return;
    const { foreign } = this;
    const origin = summary ? "harness" : "user";
    foreign.add({ parent: foreign.head, role: "user", origin, parts, time: this.#time });
  }

  #call(id: unknown, name: unknown, input: Json | undefined): void {
    this.#gather([this.foreign.call(id, name, input)]);
  }

  /** Items of one answer follow each other; an output ends it. */
  #gather(parts: Part[]): void {
    if (this.#answer) this.#answer.push(...parts);
    else if (parts.length > 0) {
      const { foreign } = this;
      this.#answer = parts;
      foreign.add({ parent: foreign.head, role: "assistant", origin: "user", parts, time: this.#time });
    }
  }

  #output(call: unknown, output: unknown): void {
    this.#answer = null;
    const { foreign } = this;
    const whole = objectOf(output);
    const text = isObject(output) ? whole["content"] : output;
    foreign.result(call, foreign.flat(text), whole["success"] === false);
  }
}

/** Arguments are JSON in a text. */
function argumentsOf(value: Json | undefined): Json | undefined {
  return typeof value === "string" ? (parseJson(value) ?? value) : value;
}
