// What is worth keeping of a call whose arguments were cut (SPEC 1.6). Pure.
// Only for tools whose descriptor names a text member that may end anywhere (`salvage`): every other member must have
// arrived whole, and of that one text only whole lines are kept. No JSON is ever closed by guessing for any other tool.
//
//   raw                                       member   -> kept
//   {"path":"a","content":"one\ntw            content     {path: a, content: "one\n"}
//   {"path":"a","content":"one\ntw"           content     {path: a, content: "one\ntw"}   (the text itself is whole)
//   {"path":"a","content":"on                 content     nothing: no whole line
//   {"pa  |  {"content":"x\n","pa             content     nothing: another member is not whole

import type { JsonObject } from "../core/json.js";
import type { CallPart, Message } from "../core/message.js";
import type { ToolDescriptor } from "../core/tool.js";
import { parseJson } from "../lib/json.js";

export interface Salvaged {
  input: JsonObject;
  /** Whole lines kept. */
  lines: number;
  /** The last of them. */
  last: string;
}

/** Lines that must have arrived before a broken stream is not simply asked for again. */
export const worthKeeping = 20;

/** The message with its cut last call made whole as far as it goes, or null when there is nothing to keep. */
export function salvageMessage(
  message: Message,
  find: (tool: string) => ToolDescriptor | undefined,
  why: "limit" | "stream",
): Message | null {
  const call = message.parts.at(-1);
  if (call?.type !== "call" || call.raw === undefined) return null;
  const text = find(call.tool)?.salvage;
  const kept = text === undefined ? null : salvageInput(call.raw, text);
  if (!kept) return null;
  const earlier = message.parts.slice(0, -1);
  if (why === "stream" && (kept.lines < worthKeeping || earlier.some((part) => part.type === "call"))) return null;
  const { raw: _raw, ...rest } = call;
  const whole: CallPart = { ...rest, input: kept.input, cut: { lines: kept.lines, last: kept.last } };
  return { ...message, parts: [...earlier, whole], partial: true };
}

const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const opened = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;
const scalar = /(?:-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?=\s*[,}])/y;
const gap = /\s*/y;

/** `raw` is JSON text of an object, cut anywhere; `text` names the member that may be cut. */
export function salvageInput(raw: string, text: string): Salvaged | null {
  const scan = new Scan(raw);
  if (!scan.sign("{")) return null;
  const input: JsonObject = {};
  for (;;) {
    const key = scan.value(string);
    if (typeof key !== "string" || !scan.sign(":") || Object.hasOwn(input, key)) return null;
    const value = scan.value(string) ?? scan.value(scalar);
    if (value !== undefined) {
      input[key] = value;
      if (scan.sign(",")) continue;
      return key === text && typeof value === "string" && scan.atEnd ? keep(input, text, value) : null;
    }
    if (key !== text) return null;
    const part = scan.value(opened, '"');
    return typeof part === "string" ? keep(input, text, wholeLines(part)) : null;
  }
}

function keep(input: JsonObject, text: string, content: string): Salvaged | null {
  return content === "" ? null : { input: { ...input, [text]: content }, ...extent(content) };
}

/** A text that was cut, up to its last whole line; "" when there is none. */
export function wholeLines(text: string): string {
  return text.slice(0, text.lastIndexOf("\n") + 1);
}

/** How many lines a text has, and the last of them. */
export function extent(text: string): { lines: number; last: string } {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return { lines: lines.length, last: lines.at(-1) ?? "" };
}

class Scan {
  readonly #raw: string;
  #at = 0;

  constructor(raw: string) {
    this.#raw = raw;
  }

  get atEnd(): boolean {
    this.#skip(gap);
    return this.#at === this.#raw.length;
  }

  sign(sign: string): boolean {
    this.#skip(gap);
    if (this.#raw[this.#at] !== sign) return false;
    this.#at++;
    return true;
  }

  /** The JSON value that `pattern` matches here, with `close` added; undefined when there is none. */
  value(pattern: RegExp, close = "") {
    this.#skip(gap);
    const text = this.#skip(pattern);
    return text === "" ? undefined : parseJson(text + close);
  }

  #skip(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const text = pattern.exec(this.#raw)?.[0] ?? "";
    this.#at += text.length;
    return text;
  }
}
