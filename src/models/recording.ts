// Recording a cassette (SPEC 2.12): every exchange of a model, as it went over the wire.
// Invariant: the file holds bodies, statuses and chunks, and nothing that identifies or admits anybody: no request
// headers, no host, no key. What the model was shown is in it, so it is as private as a session log.
// Format (JSON Lines): {"cassette":1,"model","provider"} and then one exchange a line, see CassetteEntry.

import { dirname, resolve } from "node:path";
import { messageOf, UserError } from "../core/errors.js";
import type { Redactor } from "../core/redactor.js";
import type { Fs } from "../lib/fs.js";
import type { Fetch, FetchResponse } from "./http.js";
import type { OpenContext, ProviderDescriptor, ReplaySetup } from "./provider.js";

/** The keys and the base URL matter because providers build different bodies without them. */
export interface CassetteHead extends ReplaySetup {
  cassette: 1;
  /** `provider/model`. */
  model: string;
  provider: string;
}

export interface CassetteEntry {
  /** From 1. */
  n: number;
  method: string;
  /** Path and query, without anything that looks like a key. */
  path: string;
  request: string;
  /** 0 when there was no answer. */
  status: number;
  headers: Record<string, string>;
  /** Milliseconds since the request, and bytes in base64. */
  chunks: [number, string][];
  /** How the connection failed, after `chunks`. */
  error?: string;
}

const keptHeaders = ["content-type", "retry-after", "retry-after-ms"];

/** One writer per file and process, so that the models of one run share a cassette. */
const writers = new Map<string, { next: number }>();

/** `ctx.fetch`, and every exchange written to the file. Throws UserError when there is nothing to record or no file. */
export function recording(path: string, ctx: OpenContext, descriptor: ProviderDescriptor, redactor?: Redactor): Fetch {
  if (descriptor.keyEnv.length === 0) {
    throw new UserError(
      `${ctx.id} makes no requests, so there is nothing to record.`,
      "Leave --record out, or name a model of a provider.",
    );
  }
  const file = resolve(ctx.cwd, path);
  let writer = writers.get(file);
  if (!writer || !ctx.fs.existsSync(file)) {
    const keys = descriptor.keyEnv.filter((name) => ctx.env[name]);
    const base = ctx.baseUrl !== undefined || (keys.length === 0 && ctx.key === undefined);
    begin(ctx.fs, file, { cassette: 1, model: ctx.id, provider: ctx.provider, keys, base });
    writer = { next: 1 };
    writers.set(file, writer);
  }
  const shared = writer;
  const inner = ctx.fetch;
  return (url, init) => {
    const target = new URL(url);
    const start = ctx.clock.mono();
    const clean = (text: string) => redactor?.values(text) ?? text;
    const entry: CassetteEntry = {
      n: shared.next++,
      method: init.method ?? "GET",
      path: clean(pathOf(target)),
      request: clean(bodyText(init.body)),
      status: 0,
      headers: {},
      chunks: [],
    };
    let written = false;
    const redacting = redactor?.bytes(false);
    const record = (bytes: Uint8Array) => {
      if (bytes.length > 0) entry.chunks.push([Math.round(ctx.clock.mono() - start), base64(bytes)]);
    };
    const finish = (error?: unknown) => {
      if (written) return;
      written = true;
      if (redacting) record(redacting.end());
      if (error !== undefined) entry.error = clean(messageOf(error));
      append(ctx.fs, file, entry);
    };
    return inner(url, init).then(
      (response) => {
        entry.status = response.status;
        for (const name of keptHeaders) {
          const value = response.headers.get(name);
          if (value !== null) entry.headers[name] = value;
        }
        return tapped(response, (chunk) => record(redacting ? redacting.push(Buffer.from(chunk)) : chunk), finish);
      },
      (error: unknown) => {
        finish(error);
        throw error;
      },
    );
  };
}

/** The response with its body passing through us. `finish` runs once, before the reader can see the end. */
function tapped(response: FetchResponse, chunk: (bytes: Uint8Array) => void, finish: (error?: unknown) => void) {
  const reader = response.body?.getReader();
  if (!reader) {
    finish();
    return response;
  }
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) {
          chunk(value);
          controller.enqueue(value);
          return;
        }
        finish();
        controller.close();
      } catch (error) {
        finish(error);
        controller.error(error);
      }
    },
    cancel(reason) {
      finish("the client stopped reading");
      return reader.cancel(reason);
    },
  });
  const text = async () => {
    const parts: Uint8Array[] = [];
    for await (const part of body) parts.push(part);
    return Buffer.concat(parts).toString("utf8");
  };
  return { ...response, headers: response.headers, body, text };
}

function begin(disk: Fs, file: string, head: CassetteHead): void {
  if (!replaceable(disk, file)) {
    throw new UserError(
      `${file} exists already. Nothing was changed.`,
      "Give --record another file, or remove that one.",
    );
  }
  try {
    disk.mkdirSync(dirname(file), { recursive: true });
    write(disk, file, "w", `${JSON.stringify(head)}\n`);
  } catch (error) {
    throw new UserError(`The cassette ${file} cannot be written: ${messageOf(error)}.`, "Give --record another file.");
  }
}

/** What is there is never overwritten, another recording neither; an empty file is nothing yet. What is no file says so when written. */
function replaceable(disk: Fs, file: string): boolean {
  if (!disk.existsSync(file) || !disk.statSync(file).isFile()) return true;
  return disk.statSync(file).size === 0;
}

function append(disk: Fs, file: string, entry: CassetteEntry): void {
  write(disk, file, "a", `${JSON.stringify(entry)}\n`);
}

function write(disk: Fs, file: string, flag: "w" | "a", text: string): void {
  const fd = disk.openSync(file, flag, 0o600);
  try {
    const bytes = Buffer.from(text, "utf8");
    for (let at = 0; at < bytes.length; ) at += disk.writeSync(fd, bytes, at);
  } finally {
    disk.closeSync(fd);
  }
}

export function pathOf(url: URL): string {
  for (const name of [...url.searchParams.keys()])
    if (/key|token|secret|signature/i.test(name)) url.searchParams.delete(name);
  return url.pathname + url.search;
}

export function bodyText(body: unknown): string {
  if (typeof body === "string") return body;
  return body instanceof Uint8Array ? Buffer.from(body).toString("utf8") : "";
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
