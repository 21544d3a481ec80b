// `cassette/<file>`: a recorded run, answered byte for byte (SPEC 2.12). The recorded provider runs as it is; only the
// network is the file. Invariant: an answer is given only to the very request that was recorded (cache marks apart);
// the first difference ends the run and says where it is.

import { resolve } from "node:path";
import { codeOf, messageOf, UserError } from "../core/errors.js";
import type { Json } from "../core/json.js";
import { isObject, parseJson } from "../lib/json.js";
import { Headers } from "./headers.js";
import type { Fetch, FetchResponse } from "./http.js";
import { KnownFailure } from "./known-failure.js";
import { defineProvider, type OpenContext } from "./provider.js";
import { bodyText, type CassetteEntry, type CassetteHead, pathOf } from "./recording.js";

export default defineProvider({
  names: ["cassette"],
  protocol: "a recording on disk, replayed byte for byte",
  keyEnv: [],
  baseUrlEnv: [],
  defaultModel: null,
  async open(ctx) {
    const { head, entries } = load(ctx);
    return ctx.reopen(head.model, head, player(ctx, head, entries));
  },
});

function load(ctx: OpenContext): { head: CassetteHead; entries: CassetteEntry[] } {
  const path = resolve(ctx.cwd, ctx.model);
  const broken = (why: string) =>
    new UserError(`The cassette ${path} cannot be used: ${why}.`, "Record it again with --record.");
  let text: string;
  try {
    text = ctx.fs.readFileSync(path, "utf8");
  } catch (error) {
    throw broken(codeOf(error) === "ENOENT" ? "it does not exist" : messageOf(error));
  }
  const [first, ...rest] = text.split("\n").filter((line) => line.trim() !== "");
  const head = parseJson(first ?? "");
  if (!isObject(head) || head["cassette"] !== 1 || typeof head["model"] !== "string") {
    throw broken("its first line is no cassette header of version 1");
  }
  const entries = rest.map((line, i) => {
    const entry = parseJson(line);
    if (!isObject(entry) || typeof entry["request"] !== "string" || !Array.isArray(entry["chunks"])) {
      throw broken(`line ${i + 2} is no exchange`);
    }
    return entry as unknown as CassetteEntry;
  });
  entries.sort((a, b) => a.n - b.n);
  const keys = Array.isArray(head["keys"]) ? head["keys"].map(String) : [];
  const known: CassetteHead = {
    cassette: 1,
    model: head["model"],
    provider: String(head["provider"]),
    keys,
    base: head["base"] === true,
  };
  return { head: known, entries };
}

function player(ctx: OpenContext, head: CassetteHead, entries: readonly CassetteEntry[]): Fetch {
  let next = 0;
  return async (url, init) => {
    const entry = entries[next++];
    const request = bodyText(init.body);
    if (!entry) {
      throw divergence(`request ${next}: the recording of ${head.model} has ${entries.length} requests`);
    }
    const difference = compare(entry, `${init.method ?? "GET"} ${pathOf(new URL(url))}`, request);
    if (difference) throw divergence(`request ${entry.n}, ${difference}`);
    if (entry.status === 0) throw new Error(entry.error ?? "the recorded request got no answer");
    return answer(ctx, entry, init.signal ?? undefined);
  };
}

/** A `request` failure: it is no use trying again. */
function divergence(text: string): Error {
  return new KnownFailure("request", `The replay differs from the recording at ${text}.`);
}

/** The recorded path may start differently: base URLs are the environment's. */
function compare(entry: CassetteEntry, line: string, request: string): string | undefined {
  const recorded = `${entry.method} ${entry.path}`;
  const tail = (text: string) => text.split("?")[0]?.split("/").slice(-1)[0];
  if (tail(recorded) !== tail(line)) return `recorded ${recorded}, now ${line}`;
  const before = withoutMarks(parseJson(entry.request));
  const after = withoutMarks(parseJson(request));
  if (before === undefined || after === undefined)
    return entry.request === request ? undefined : "bodies that are not JSON";
  return firstDifference(before, after, "$");
}

/** The body without cache marks: `cache_control` members, and Bedrock's `cachePoint` blocks. */
export function withoutMarks(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) {
    return value.filter((item) => !(isObject(item) && "cachePoint" in item)).map((item) => withoutMarks(item) as Json);
  }
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => key !== "cache_control");
  return Object.fromEntries(kept.map(([key, member]) => [key, withoutMarks(member)]));
}

/** `path: recorded …, now …` of the first difference, members in their order; undefined when there is none. */
export function firstDifference(a: Json | undefined, b: Json | undefined, path: string): string | undefined {
  if (Array.isArray(a) && Array.isArray(b)) {
    for (let i = 0; i < Math.max(a.length, b.length); i++) {
      const difference = firstDifference(a[i], b[i], `${path}[${i}]`);
      if (difference) return difference;
    }
    return undefined;
  }
  if (isObject(a) && isObject(b)) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const difference = firstDifference(a[key], b[key], `${path}.${key}`);
      if (difference) return difference;
    }
    const order = (value: object) => Object.keys(value).join(", ");
    return order(a) === order(b) ? undefined : `${path}: recorded with members ${order(a)}, now ${order(b)}`;
  }
  return a === b ? undefined : `${path}: recorded ${shown(a, b)}, now ${shown(b, a)}`;
}

/** A value as JSON; of long strings the part around the first difference. */
function shown(value: Json | undefined, other: Json | undefined): string {
  if (typeof value !== "string" || value.length <= 120) return JSON.stringify(value) ?? "nothing";
  let at = 0;
  if (typeof other === "string") while (at < value.length && value[at] === other[at]) at++;
  const from = Math.max(0, at - 40);
  return `${from > 0 ? "…" : ""}${JSON.stringify(value.slice(from, from + 120))}… (at character ${at})`;
}

function answer(ctx: OpenContext, entry: CassetteEntry, signal: AbortSignal | undefined): FetchResponse {
  let index = 0;
  let waited = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const chunk = entry.chunks[index++];
      if (chunk) {
        const due = chunk[0] * ctx.replaySpeed;
        if (due > waited) await ctx.clock.sleep(due - waited, signal);
        waited = Math.max(waited, due);
        controller.enqueue(Buffer.from(chunk[1], "base64"));
      } else if (entry.error === undefined) controller.close();
      else controller.error(new Error(entry.error));
    },
  });
  return {
    ok: entry.status >= 200 && entry.status < 300,
    status: entry.status,
    statusText: "",
    url: entry.path,
    headers: new Headers(Object.entries(entry.headers)),
    body,
    text: async () => Buffer.concat(entry.chunks.map(([, text]) => Buffer.from(text, "base64"))).toString("utf8"),
  };
}
