// A conversation that another program has kept, on its way in: what its reader found, in Cinch's words.
// Invariants: a turn's parent stands before it, so there are no cycles whatever a file says; everything that is not taken
// over is counted under a reason. Nothing from a file is ever more than data: no name, path or id in it is acted upon.

import type { Json, JsonObject } from "../../core/json.js";
import type { CallPart, ImagePart, Origin, Part, Usage } from "../../core/message.js";
import { isObject } from "../../lib/json.js";

export interface Turn {
  /** Number of the turn that it follows, or null. */
  parent: number | null;
  role: "user" | "assistant";
  origin: Origin;
  /** Text, images and calls. Results are kept apart, by call. */
  parts: Part[];
  /** Milliseconds since 1970, if it is known. */
  time: number | null;
  /** Only of Cinch's own sessions: what a turn has cost elsewhere is no cost of this one. */
  usage?: Usage;
  model?: { id: string; maxOutput: number };
}

export interface ForeignResult {
  text: string;
  isError: boolean;
}

/** What is known of the whole session. */
export interface About {
  session: string | null;
  cwd: string | null;
  model: string | null;
  title: string | null;
}

/** So many different reasons are told apart. */
const reasons = 40;

export class Foreign {
  readonly about: About = { session: null, cwd: null, model: null, title: null };
  readonly turns: Turn[] = [];
  readonly results = new Map<string, ForeignResult>();
  readonly labels: { turn: number; text: string }[] = [];
  /** How often what was left out, by reason. */
  readonly dropped = new Map<string, number>();
  /** The turn that the conversation stands at. */
  head: number | null = null;
  /** The turn that an id of the file means; null = before the first. */
  readonly #places = new Map<string, number | null>();

  drop(reason: string, times = 1): void {
    const name = this.dropped.has(reason) || this.dropped.size < reasons ? reason : "other";
    this.dropped.set(name, (this.dropped.get(name) ?? 0) + times);
  }

  /** Adds a turn and makes it the head; returns its number. */
  add(turn: Turn): number {
    this.head = this.turns.push(turn) - 1;
    return this.head;
  }

  /** From now on `id` means this turn. */
  place(id: unknown, turn: number | null): void {
    if (typeof id === "string" && !this.#places.has(id)) this.#places.set(id, turn);
  }

  has(id: unknown): boolean {
    return typeof id === "string" && this.#places.has(id);
  }

  /** The turn that a link to a parent means. What is not there (yet) is taken for the turn before. */
  follow(parent: unknown): number | null {
    if (parent === null) return null;
    const place = typeof parent === "string" ? this.#places.get(parent) : undefined;
    if (place !== undefined) return place;
    this.drop("link to a line that is not there");
    return this.head;
  }

  result(call: unknown, text: string, isError: boolean): void {
    if (typeof call !== "string" || this.results.has(call)) this.drop("result without a call of its own");
    else this.results.set(call, { text, isError });
  }

  /** Arguments deeper than any tool's are no arguments; everything that walks them later may recurse. */
  call(id: unknown, tool: unknown, input: Json | undefined): CallPart {
    const deep = depthOver(input, 64);
    if (deep) this.drop("arguments nested too deep");
    const call: CallPart = { type: "call", id: stringOf(id) ?? "", tool: stringOf(tool) ?? "", input: {} };
    // What is no object becomes one: providers take nothing else.
    if (!deep && input !== undefined && input !== null) call.input = isObject(input) ? input : { input };
    return call;
  }

  image(mediaType: unknown, data: unknown): ImagePart[] {
    const fits = typeof mediaType === "string" && typeof data === "string" && pictures.test(mediaType);
    if (fits && data.length <= pictureLimit && /^[A-Za-z0-9+/]+={0,2}$/.test(data)) {
      return [{ type: "image", mediaType, data }];
    }
    this.drop("image");
    return [];
  }

  /** Text of what is a text, or a list of blocks with texts. */
  flat(content: unknown): string {
    if (typeof content === "string") return content;
    if (!Array.isArray(content)) return "";
    const texts = content.flatMap((block) => {
      if (isObject(block) && typeof block["text"] === "string") return [block["text"]];
      this.drop("part of a result that is no text");
      return [];
    });
    return texts.join("\n");
  }
}

const pictures = /^image\/(png|jpeg|gif|webp)$/;
const pictureLimit = 20 * 1024 * 1024;

/** Walks without recursion. */
function depthOver(value: unknown, limit: number): boolean {
  const open: { value: unknown; depth: number }[] = [{ value, depth: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    if (typeof next.value !== "object" || next.value === null) continue;
    if (next.depth >= limit) return true;
    for (const inner of Object.values(next.value)) open.push({ value: inner, depth: next.depth + 1 });
  }
  return false;
}

export function stringOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** The turns from the first to `end`, by number, oldest first. */
export function pathOf(turns: readonly Turn[], end: number | null): number[] {
  const path: number[] = [];
  for (let at = end; at !== null; at = turns[at]?.parent ?? null) path.push(at);
  return path.reverse();
}

/** Of an ISO text or a number of milliseconds. */
export function timeOf(value: unknown): number | null {
  const time = typeof value === "string" ? Date.parse(value) : value;
  return typeof time === "number" && Math.abs(time) <= 8.64e15 ? Math.trunc(time) : null;
}

export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A name out of a file, fit to be shown in a list of reasons. */
export function kindOf(value: unknown): string {
  return typeof value === "string" && /^[\w.-]{1,40}$/.test(value) ? value : "unknown";
}

export const userText = (text: string): Part[] => (text.trim() === "" ? [] : [{ type: "text", text }]);
