// Cinch's own sessions, of another machine or another person: the conversation with its branches, labels and figures.
// Left out, on purpose: what speaks of the machine it came from (prompts, approvals, what became of files, claims, notes)
// and what only a provider could vouch for (thinking, baggage of parts). An import can so never undo, claim or allow.

import type { Entry } from "../../core/entry.js";
import type { JsonObject } from "../../core/json.js";
import type { Origin, Part, Usage } from "../../core/message.js";
import { Foreign, kindOf, listOf, objectOf, pathOf, stringOf, type Turn, timeOf, userText } from "./foreign.js";

type Known = NonNullable<Turn["model"]>;

/** `entries`: of an intact line each, or null; their data is still whatever the file says. */
export function readCinch(entries: Iterable<Entry | null>): Foreign {
  const reading = new Reading();
  for (const entry of entries) {
    if (entry) reading.take(entry, objectOf(entry.data));
    else reading.foreign.drop("damaged or unfinished line");
  }
  return reading.foreign;
}

const origins: readonly Origin[] = ["user", "harness", "hook", "task"];

class Reading {
  readonly foreign = new Foreign();
  /** The model that answers after an entry, by its id. */
  readonly #models = new Map<string, Known>();
  #header: string | undefined;
  /** What follows is a conversation of an agent, which is not the user's. */
  #isOver = false;

  take(entry: Entry, data: JsonObject): void {
    const { foreign } = this;
    const { id, parent, type } = entry;
    if (type === "header" && this.#header !== undefined && data["task"] !== undefined) {
      foreign.drop("conversation of an agent");
      this.#isOver = true;
    }
    if (this.#isOver) return;
    if (foreign.has(id)) {
      foreign.drop("repeated line");
      return;
    }
    if (parent !== null && !foreign.has(parent)) {
      foreign.drop("entry that hangs on a lost one");
      return;
    }
    const before = foreign.follow(parent);
    const model = parent === null ? undefined : this.#models.get(parent);
    if (model) this.#models.set(id, model);
    switch (type) {
      case "header":
        this.#header ??= id;
        foreign.about.cwd ??= stringOf(data["root"]);
        foreign.place(id, null);
        return;
      case "message":
        this.#stand(id, this.#message(entry, data, before));
        return;
      case "compaction":
        this.#stand(id, this.#compaction(data, before));
        return;
      case "model":
        this.#model(id, data);
        this.#stand(id, before);
        return;
      case "prompt":
        foreign.drop("entry of type prompt");
        this.#stand(id, before);
        return;
      case "label":
        this.#label(id, data, before);
        return;
      case "head":
        foreign.head = foreign.follow(data["target"] ?? null);
        break;
      default:
        foreign.drop(`entry of type ${kindOf(type)}`);
    }
    foreign.place(id, before);
  }

  /** An entry of the path means that turn, and the conversation stands there. */
  #stand(id: string, turn: number | null): void {
    this.foreign.place(id, turn);
    this.foreign.head = turn;
  }

  #model(entry: string, { id, params }: JsonObject): void {
    const maxOutput = objectOf(params)["maxOutput"];
    if (typeof id !== "string" || typeof maxOutput !== "number") {
      this.foreign.drop("model without a name");
      return;
    }
    this.#models.set(entry, { id, maxOutput });
    this.foreign.about.model = id;
  }

  #label(id: string, { target, text }: JsonObject, before: number | null): void {
    const { foreign } = this;
    foreign.place(id, before);
    if (typeof text !== "string") return;
    const turn = foreign.has(target) ? foreign.follow(target) : null;
    if (target === this.#header) foreign.about.title = text;
    else if (turn !== null) foreign.labels.push({ turn, text });
  }

  #message({ parent, time }: Entry, data: JsonObject, before: number | null): number | null {
    const { foreign } = this;
    const parts = listOf(data["parts"]).flatMap((part) => this.#part(objectOf(part)));
    const { role } = data;
    if (role === "tool") return before;
    if (data["context"] === true) {
      foreign.drop("message about the surroundings");
      return before;
    }
    if (role !== "user" && role !== "assistant") foreign.drop(`message of role ${kindOf(role)}`);
    else if (parts.length > 0) {
      const origin = origins.find((each) => each === data["origin"]) ?? "user";
      const usage = usageOf(data["usage"]);
      const model = parent === null ? undefined : this.#models.get(parent);
      const turn: Turn = { parent: before, role, origin, parts, time: timeOf(time) };
      if (usage) turn.usage = usage;
      if (model) turn.model = model;
      return foreign.add(turn);
    }
    return before;
  }

  #part(part: JsonObject): Part[] {
    const { foreign } = this;
    switch (part["type"]) {
      case "text":
        return userText(stringOf(part["text"]) ?? "");
      case "image":
        return foreign.image(part["mediaType"], part["data"]);
      case "call":
        return [foreign.call(part["id"], part["tool"], part["input"])];
      case "result":
        foreign.result(part["callId"], stringOf(part["text"]) ?? "", part["isError"] === true);
        return [];
      default:
        foreign.drop(`part of type ${kindOf(part["type"])}`);
        return [];
    }
  }

  /** Begins anew, as the request after it did: the summary, then what stood behind the part it replaced. */
  #compaction({ to, summary }: JsonObject, before: number | null): number | null {
    const { foreign } = this;
    const parts = userText(stringOf(summary) ?? "");
    if (parts.length === 0) return before;
    const path = pathOf(foreign.turns, before);
    const last = foreign.has(to) ? foreign.follow(to) : null;
    let at = foreign.add({ parent: null, role: "user", origin: "harness", parts, time: null });
    for (const turn of path.slice(last === null ? 0 : path.indexOf(last) + 1)) {
      const { usage: _paid, ...kept } = foreign.turns[turn] as Turn;
      at = foreign.add({ ...kept, parent: at });
    }
    return at;
  }
}

function usageOf(value: unknown): Usage | null {
  const { input, output, cacheRead, cacheWrite } = objectOf(value);
  const counts = [input, output, cacheRead, cacheWrite];
  const known = counts.every((tokens) => Number.isSafeInteger(tokens) && (tokens as number) >= 0);
  return known ? ({ input, output, cacheRead, cacheWrite } as unknown as Usage) : null;
}
