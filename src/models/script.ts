// The script of a scripted model: reading, checking and expanding its items (SPEC 2.11).
// Invariant: a script with a word that means nothing is refused when it is opened, not half followed.

import { isAbsolute, join, resolve } from "node:path";
import { codeOf, messageOf, UserError } from "../core/errors.js";
import type { Json, JsonObject } from "../core/json.js";
import type { Message, Stop } from "../core/message.js";
import type { FailKind, ModelRequest } from "../core/model.js";
import { isObject, parseJson } from "../lib/json.js";
import type { OpenContext } from "./provider.js";

/** What a scripted model needs of the world. */
export type ScriptContext = Pick<OpenContext, "id" | "model" | "cwd" | "facts" | "fs" | "clock">;

export interface ScriptItem {
  /** Regular expression on the newest user or tool text. */
  match?: string;
  /** When `match` does not fit, the next item answers in its place. */
  skip?: boolean;
  text?: string;
  thinking?: string;
  calls?: { id?: string; tool: string; input?: JsonObject; raw?: string }[];
  stop?: Stop;
  usage?: { in?: number; out?: number; read?: number; write?: number };
  /** Milliseconds before the answer, or before each chunk when `chunk` is set. */
  delay_ms?: number;
  /** Characters per delta; without it each part is one delta. */
  chunk?: number;
  /** The stream ends after this many characters of thinking, text and call JSON together. */
  cut_after?: number;
  fail?: Exclude<FailKind, "cancelled">;
  /** Seconds. */
  retry_after?: number;
  /** How many requests in a row this item answers. Default 1. */
  repeat?: number;
}

type Kind = "string" | "number" | "boolean" | "object" | "array";
const members: Readonly<Record<string, Kind>> = {
  match: "string",
  skip: "boolean",
  text: "string",
  thinking: "string",
  calls: "array",
  stop: "string",
  usage: "object",
  delay_ms: "number",
  chunk: "number",
  cut_after: "number",
  fail: "string",
  retry_after: "number",
  repeat: "number",
};
const words: Readonly<Record<string, readonly string[]>> = {
  stop: ["end", "tools", "length", "refusal"],
  fail: ["auth", "rate", "overflow", "network", "refusal", "request"],
};

/** The items for `ctx.agent`. Throws UserError (exit 2) naming the file, the item and what is valid. */
export async function loadScript(ctx: OpenContext): Promise<ScriptItem[]> {
  const path = resolve(ctx.cwd, ctx.model);
  let text: string;
  try {
    text = ctx.fs.readFileSync(path, "utf8");
  } catch (error) {
    const why = codeOf(error) === "ENOENT" ? "it does not exist" : messageOf(error);
    throw new UserError(`The script ${path} cannot be read: ${why}.`, "Give -m scripted/<file> with a readable file.");
  }
  const items = itemsFor(ctx, text, path);
  const scripted = items.map((item, i) => checked(item, `${path}, item ${i + 1}`));
  for (const [i, { match }] of scripted.entries()) await checkPattern(match, `${path}, item ${i + 1}`);
  return scripted;
}

function itemsFor({ agent, part }: Pick<OpenContext, "agent" | "part">, text: string, path: string): Json[] {
  const whole = parseJson(text);
  if (Array.isArray(whole)) return whole;
  if (isObject(whole) && ("main" in whole || "agents" in whole)) {
    const agents = isObject(whole["agents"]) ? whole["agents"] : {};
    const own = part === undefined ? undefined : agents[part];
    const items = agent === "main" ? whole["main"] : (own ?? agents[agent]);
    if (items === undefined) return [];
    if (Array.isArray(items)) return items;
    throw new UserError(`The script ${path} has no list of items for "${agent}".`, "Make it an array of items.");
  }
  if (isObject(whole)) return [whole];
  return text.split("\n").flatMap((line, i) => {
    if (line.trim() === "") return [];
    const item = parseJson(line);
    if (item !== undefined) return [item];
    throw new UserError(
      `The script ${path} is neither JSON nor JSON Lines: line ${i + 1} does not parse.`,
      "Write one JSON array of items, or one item per line.",
    );
  });
}

function checked(item: Json, where: string): ScriptItem {
  if (!isObject(item)) throw new UserError(`${where}: an item is an object.`, valid());
  for (const [key, value] of Object.entries(item)) {
    const kind = members[key];
    if (!kind) throw new UserError(`${where}: "${key}" means nothing.`, valid());
    const actual = Array.isArray(value) ? "array" : typeof value;
    if (actual !== kind || value === null) throw new UserError(`${where}: "${key}" must be of type ${kind}.`, valid());
    const allowed = words[key];
    if (allowed && !allowed.includes(String(value))) {
      throw new UserError(`${where}: "${key}" cannot be "${String(value)}".`, `Valid: ${allowed.join(", ")}.`);
    }
  }
  for (const call of (item["calls"] as Json[] | undefined) ?? []) {
    if (!isObject(call) || typeof call["tool"] !== "string") {
      throw new UserError(`${where}: a call is {"id"?, "tool", "input" or "raw"}.`, valid());
    }
  }
  return item as unknown as ScriptItem;
}

async function checkPattern(pattern: string | undefined, where: string): Promise<void> {
  try {
    if (pattern !== undefined) await fitsText(pattern, "");
  } catch (error) {
    const fix = "Correct the pattern; look-around and back-references cannot be used.";
    throw new UserError(`${where}: "match" is no regular expression: ${messageOf(error)}.`, fix);
  }
}

/** Does the expression fit somewhere in the text? Most are plain words, for which nothing is loaded. */
export async function fitsText(pattern: string, text: string): Promise<boolean> {
  if (/^[^\\^$.*+?()[\]{}|]*$/.test(pattern)) return text.includes(pattern);
  const { linearRegExp } = await import("../lib/linear-regexp.js");
  return linearRegExp(pattern).test(text);
}

function valid(): string {
  return `Valid members: ${Object.keys(members).join(", ")}.`;
}

/**
 * The item with `{{file:path}}` and `{{result:n}}` replaced in all its strings. Files are looked up beside the script,
 * then in the working directory; `n` counts tool results of the request from 0, or from -1 backwards.
 */
export function expand(item: ScriptItem, request: ModelRequest, ctx: ScriptContext): ScriptItem {
  const replace = (text: string) =>
    text.includes("{{")
      ? text.replace(/\{\{(file|result):([^}]*)\}\}/g, (_, kind: string, argument: string) =>
          kind === "file" ? fileText(argument.trim(), ctx) : resultText(Number(argument), request),
        )
      : text;
  const walk = (value: unknown): unknown => {
    if (typeof value === "string") return replace(value);
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, walk(member)]));
  };
  return { ...(walk({ ...item, match: undefined }) as ScriptItem) };
}

function fileText(path: string, ctx: ScriptContext): string {
  const script = resolve(ctx.cwd, ctx.model);
  const places = isAbsolute(path) ? [path] : [join(script, "..", path), resolve(ctx.cwd, path)];
  for (const place of places) {
    if (ctx.fs.existsSync(place)) return ctx.fs.readFileSync(place, "utf8");
  }
  throw new Error(`{{file:${path}}} is neither beside the script nor in ${ctx.cwd}.`);
}

function resultText(index: number, request: ModelRequest): string {
  const results = request.messages.flatMap((message) => message.parts.filter((part) => part.type === "result"));
  const result = results.at(index);
  if (result) return result.text;
  throw new Error(`{{result:${index}}} asks for a result that is not there; the request has ${results.length}.`);
}

/** Everything the newest user or tool messages say: all texts after the last assistant message. */
export function newestText(request: ModelRequest): string {
  const texts: string[] = [];
  for (let i = request.messages.length - 1; i >= 0; i--) {
    const message = request.messages[i];
    if (!message || message.role === "assistant") break;
    texts.unshift(...message.parts.flatMap((part) => ("text" in part ? [part.text] : [])));
  }
  return texts.join("\n");
}

const charsOf = new WeakMap<Message, number>();

/** Characters of a request as JSON, roughly; messages are measured once. */
export function requestChars(request: ModelRequest): number {
  let sum = request.stable.length + request.context.length + JSON.stringify(request.tools).length;
  for (const message of request.messages) {
    let chars = charsOf.get(message);
    if (chars === undefined) {
      chars = JSON.stringify(message.parts).length;
      charsOf.set(message, chars);
    }
    sum += chars;
  }
  return sum;
}
