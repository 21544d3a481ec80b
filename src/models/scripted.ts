// `scripted/<file>`: a model that answers from a script, one item per request (SPEC 2.11). No network, no key.
// Invariant: it behaves at the port exactly as a provider would: deltas first, one `done` or `fail` last, abort honoured.
// Not here: what an item may contain and how a file is read (script.ts).

import type { CallPart, Message, Part, Stop, Usage } from "../core/message.js";
import type { Model, ModelEvent, ModelFailure, ModelRequest } from "../core/model.js";
import { parseArguments } from "../lib/json.js";
import { defineProvider } from "./provider.js";
import {
  expand,
  fitsText,
  loadScript,
  newestText,
  requestChars,
  type ScriptContext,
  type ScriptItem,
} from "./script.js";

export default defineProvider({
  names: ["scripted"],
  protocol: "a script on disk, for tests and demos",
  keyEnv: [],
  baseUrlEnv: [],
  defaultModel: null,
  async open(ctx) {
    const script = await loadScript(ctx);
    return scriptedModel(ctx, script);
  },
});

/** A model that answers with these items; `cinch/testing` offers it without a script on disk. */
export function scriptedModel(ctx: ScriptContext, items: readonly ScriptItem[]): Model {
  let index = 0;
  let used = 0;
  return {
    id: ctx.id,
    facts: ctx.facts,
    async *stream(request, signal) {
      while (await isSkipped(items[index], request)) index++;
      const number = index;
      const item = items[index];
      used++;
      if (item && used >= (item.repeat ?? 1)) {
        index++;
        used = 0;
      }
      yield* play(ctx, item ?? { text: "done" }, number + 1, request, signal);
    },
  };
}

/** Where an item is cut, as a count of characters still allowed; Infinity = nowhere. */
interface Progress {
  left: number;
  parts: Part[];
}

async function* play(
  ctx: ScriptContext,
  scripted: ScriptItem,
  number: number,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const mismatch = await unmatched(scripted, number, request);
  if (mismatch) return yield { type: "fail", kind: "request", text: mismatch };
  let item: ScriptItem;
  try {
    item = expand(scripted, request, ctx);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return yield { type: "fail", kind: "request", text: `Item ${number} of the script: ${text}` };
  }
  const progress: Progress = { left: item.cut_after ?? Number.POSITIVE_INFINITY, parts: [] };
  try {
    yield* deltas(ctx, item, progress, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    return yield failure(item, number, "cancelled", progress.parts);
  }
  if (signal.aborted) return yield failure(item, number, "cancelled", progress.parts);
  if (item.fail) return yield failure(item, number, item.fail, progress.parts);
  if (progress.left < 0 && item.stop !== "length") return yield failure(item, number, "network", progress.parts);
  const stop: Stop = item.stop ?? (progress.parts.some((part) => part.type === "call") ? "tools" : "end");
  const usage = usageOf(item, request, progress.parts);
  const message: Message = { role: "assistant", parts: progress.parts, usage, stop };
  yield { type: "done", message, usage, stop };
}

/** Streams thinking, text and calls in this order, keeping in `progress` what has been sent. */
async function* deltas(
  ctx: ScriptContext,
  item: ScriptItem,
  progress: Progress,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  if (item.delay_ms !== undefined && item.chunk === undefined) await ctx.clock.sleep(item.delay_ms, signal);
  const pieces = async function* (whole: string, sent: (text: string) => ModelEvent): AsyncGenerator<ModelEvent> {
    const size = item.chunk ?? Math.max(1, whole.length);
    const allowed = whole.slice(0, Math.max(0, progress.left));
    for (let at = 0; at < allowed.length; at += size) {
      if (item.delay_ms !== undefined && item.chunk !== undefined) await ctx.clock.sleep(item.delay_ms, signal);
      if (signal.aborted) return;
      yield sent(allowed.slice(at, at + size));
    }
    progress.left -= whole.length;
  };
  if (item.thinking !== undefined) {
    const part = { type: "thinking" as const, text: "", by: ctx.id };
    progress.parts.push(part);
    yield* pieces(item.thinking, (text) => {
      part.text += text;
      return { type: "thinking", text };
    });
  }
  if (item.text !== undefined && progress.left >= 0 && !signal.aborted) {
    const part = { type: "text" as const, text: "" };
    progress.parts.push(part);
    yield* pieces(item.text, (text) => {
      part.text += text;
      return { type: "text", text };
    });
  }
  for (const call of item.calls ?? []) {
    if (progress.left < 0 || signal.aborted) return;
    const json = call.raw ?? JSON.stringify(call.input ?? {});
    const part: CallPart = { type: "call", id: call.id ?? "", tool: call.tool, input: {}, raw: "" };
    progress.parts.push(part);
    yield* pieces(json, (text) => {
      part.raw += text;
      return { type: "call", id: part.id, tool: part.tool, text };
    });
    close(part);
  }
}

/** A call whose text is one JSON object loses `raw`; any other keeps its text and is never run. */
function close(part: CallPart): void {
  const value = parseArguments(part.raw ?? "");
  if (!value) return;
  part.input = value;
  delete part.raw;
}

async function isSkipped(item: ScriptItem | undefined, request: ModelRequest): Promise<boolean> {
  return item?.skip === true && item.match !== undefined && !(await fitsText(item.match, newestText(request)));
}

async function unmatched(item: ScriptItem, number: number, request: ModelRequest): Promise<string | undefined> {
  if (item.match === undefined) return undefined;
  const text = newestText(request);
  if (await fitsText(item.match, text)) return undefined;
  const shown = text.length > 400 ? `${text.slice(0, 400)}…` : text;
  return `Item ${number} of the script expects /${item.match}/ and the newest text is: ${JSON.stringify(shown)}.`;
}

function failure(item: ScriptItem, number: number, kind: ModelFailure["kind"], parts: Part[]): ModelFailure {
  const text = kind === "cancelled" ? "The request was cancelled." : `Item ${number} of the script fails: ${kind}.`;
  const fail: ModelFailure = { type: "fail", kind, text };
  if (item.retry_after !== undefined) fail.retryAfter = item.retry_after * 1000;
  if (parts.length > 0) fail.partial = { role: "assistant", parts, partial: true };
  return fail;
}

function usageOf(item: ScriptItem, request: ModelRequest, parts: readonly Part[]): Usage {
  const written = parts.reduce((sum, part) => sum + JSON.stringify(part).length, 0);
  return {
    input: item.usage?.in ?? Math.ceil(requestChars(request) / 4),
    output: item.usage?.out ?? Math.ceil(written / 4),
    cacheRead: item.usage?.read ?? 0,
    cacheWrite: item.usage?.write ?? 0,
  };
}
