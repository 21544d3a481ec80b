// All model traffic goes through `httpFetch`: the part of fetch that the provider packages use, over node:http.
// Why not the global fetch: its first use costs about 20 ms and each request more than twice as much (docs/models.md).
// Invariant: a redirect is never followed (it would carry the key to another host); an abort destroys the socket;
// silence longer than the limits ends the request with a StallError, an answer beyond all reason with a KnownFailure.
// No retries, no compression, no proxies, no cookies.

import type http from "node:http";
import { RunningTimer } from "../lib/running-timer.js";
import { Headers } from "./headers.js";
import { KnownFailure } from "./known-failure.js";

/** Bytes of an answer: a thousand times what a model writes. More is no answer, and would fill the memory. */
const longestAnswer = 64 * 1024 * 1024;

/** Limits on silence, in milliseconds. */
export interface StallLimits {
  firstByte: number;
  betweenBytes: number;
}

export interface FetchInit {
  method?: string | undefined;
  headers?: unknown;
  body?: unknown;
  signal?: AbortSignal | null | undefined;
  stall?: StallLimits | undefined;
}

export interface FetchResponse {
  ok: boolean;
  status: number;
  statusText: string;
  url: string;
  headers: Headers;
  body: ReadableStream<Uint8Array> | null;
  text(): Promise<string>;
}

/** A subset of the global fetch: string or bytes as body, a stream as answer. Rejects for whatever the network does. */
export type Fetch = (url: string | URL, init: FetchInit) => Promise<FetchResponse>;

/** Nothing arrived for too long. */
export class StallError extends Error {
  override name = "StallError";
  readonly code = "ETIMEDOUT";
}

interface Transport {
  request: typeof http.request;
  agent: http.Agent;
}

const transports: Record<string, Transport | undefined> = {};

/** Loaded with the first address that needs it: a terminal shows its prompt before, and TLS is another 20 ms. */
async function transportFor(protocol: string): Promise<Transport> {
  if (protocol !== "http:" && protocol !== "https:") throw new TypeError(`${protocol} is not a protocol for models`);
  const known = transports[protocol];
  if (known) return known;
  const { default: node } = await (protocol === "http:" ? import("node:http") : import("node:https"));
  // Another request may have been quicker meanwhile: there is one pool of connections.
  transports[protocol] ??= { request: node.request, agent: new node.Agent({ keepAlive: true }) };
  return transports[protocol];
}

export const httpFetch: Fetch = async (url, init) => {
  const target = new URL(url);
  const { agent, request: send } = await transportFor(target.protocol);
  return new Promise((resolve, reject) => {
    const { signal, stall } = init;
    if (signal?.aborted) throw abortError();
    const request = send(target, { method: init.method ?? "GET", headers: headersOf(init.headers), agent });
    const abort = () => request.destroy(abortError());
    signal?.addEventListener("abort", abort, { once: true });
    request.on("close", () => signal?.removeEventListener("abort", abort));
    request.on("error", reject);
    const silence = silenceOf(request, stall);
    // Nobody else would hear of it: node closes the socket and calls neither `response` nor `error`.
    request.on("upgrade", (_, socket) => {
      socket.destroy();
      reject(new KnownFailure("request", `${target.host} changes to another protocol. Check the base URL.`));
    });
    request.on("response", (incoming) => resolve(responseOf(target.href, request, incoming, silence)));
    request.end((init.body ?? undefined) as string | Uint8Array | undefined);
  });
};

function responseOf(
  url: string,
  request: http.ClientRequest,
  incoming: http.IncomingMessage,
  arrived: () => void,
): FetchResponse {
  const status = incoming.statusCode ?? 0;
  const entries = Object.entries(incoming.headers).map(
    ([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")] as const,
  );
  const body = streamOf(request, incoming, arrived);
  return {
    ok: status >= 200 && status < 300,
    status,
    statusText: incoming.statusMessage ?? "",
    url,
    headers: new Headers(entries),
    body,
    text: () => textOf(body),
  };
}

/** The body as a stream that keeps back pressure and fails when the connection ends before the message does. */
function streamOf(
  request: http.ClientRequest,
  incoming: http.IncomingMessage,
  arrived: () => void,
): ReadableStream<Uint8Array> {
  let failure: Error | undefined;
  let ended = false;
  let bytes = 0;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const fail = (error: Error) => {
        if (ended) return;
        ended = true;
        controller.error(error);
      };
      request.on("error", (error) => {
        failure = error;
        fail(error);
      });
      incoming.on("data", (chunk: Buffer) => {
        arrived();
        if (ended) return;
        bytes += chunk.length;
        if (bytes > longestAnswer) {
          const text = `The server sent more than ${longestAnswer / 1024 / 1024} MB in one answer; it was given up.`;
          request.destroy(new KnownFailure("request", text));
          return;
        }
        controller.enqueue(chunk);
        if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
      });
      incoming.on("end", () => {
        if (ended) return;
        ended = true;
        controller.close();
      });
      incoming.on("error", (error) => fail(failure ?? error));
      incoming.on("close", () =>
        fail(failure ?? new Error("the connection was closed before the answer was complete")),
      );
      incoming.pause();
    },
    pull() {
      incoming.resume();
    },
    cancel() {
      ended = true;
      request.destroy();
    },
  });
}

/** Limits silence on the socket; the returned function says that the first byte of the body is here. */
function silenceOf(request: http.ClientRequest, stall: StallLimits | undefined): () => void {
  if (!stall) return () => undefined;
  let started = false;
  const silent = (ms: number) =>
    new RunningTimer(ms, () => {
      const time = ms >= 1000 ? `${Math.round(ms / 1000)} s` : `${ms} ms`;
      request.destroy(new StallError(started ? `nothing more came for ${time}` : `no answer for ${time}`));
    }).unref();
  let timer = silent(stall.firstByte);
  request.on("close", () => timer.end());
  return () => {
    if (started) return timer.refresh();
    started = true;
    timer.end();
    timer = silent(stall.betweenBytes);
  };
}

async function textOf(body: ReadableStream<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function headersOf(headers: unknown): Record<string, string> {
  if (typeof headers !== "object" || headers === null) return {};
  const entries = Symbol.iterator in headers ? [...(headers as Iterable<[string, string]>)] : Object.entries(headers);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function abortError(): Error {
  return new DOMException("The request was cancelled.", "AbortError");
}
