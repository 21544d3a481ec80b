// A loopback HTTP server that plays a list of replies in a vendor's wire format. The formats are in the files beside it.
// It keeps every request as received, can end or silence a connection after any frame, and notices closed sockets.

import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** What one request is answered with; each protocol encodes it in its own frames. */
export interface WireReply {
  thinking?: { text: string; signature?: string };
  /** Thinking that only the vendor can read. */
  redacted?: string;
  text?: string;
  /** `raw` is sent as argument text as it is, however broken. */
  calls?: readonly { id?: string; name: string; input?: unknown; raw?: string; signature?: string }[];
  stop?: "end" | "tools" | "length" | "refusal";
  usage?: { input?: number; output?: number; read?: number; write?: number };
  /** Characters per delta. Default 12. */
  chunk?: number;
  /** Exact event payloads instead of all the above. */
  events?: readonly unknown[];
  /** The exact pieces of the body instead of frames, each written by itself. */
  raw?: readonly (string | Buffer)[];
  /** Sent over and over after everything else, until the client goes away. */
  drip?: string;
  /** Other than 200: a JSON error with `error` as its message. */
  status?: number;
  error?: { type?: string; message: string };
  /** An exact body instead of the error object. */
  body?: string;
  headers?: Record<string, string>;
  /** The connection is destroyed after this many frames. */
  cutAfter?: number;
  /** Nothing more is sent after this many frames; 0 = headers only, -1 = not even those. */
  stallAfter?: number;
}

export interface WireRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface WireServer {
  /** Without a path and without a slash at the end. */
  url: string;
  requests: WireRequest[];
  /** Resolves when a client closes the connection of the reply with this number (from 0) before it was complete. */
  closed(reply: number): Promise<void>;
  close(): Promise<void>;
}

export interface Protocol {
  contentType: string;
  frames(reply: WireReply, request: WireRequest): (string | Buffer)[];
  error(reply: WireReply): string;
}

export type WireScript = readonly WireReply[] | ((request: WireRequest, index: number) => WireReply);

/** A script that is used up answers "done". */
export async function startWire(protocol: Protocol, script: WireScript): Promise<WireServer> {
  const requests: WireRequest[] = [];
  const closings = new Map<number, () => void>();
  const closed = new Map<number, Promise<void>>();
  const closedOf = (reply: number) => {
    const known = closed.get(reply) ?? new Promise<void>((resolve) => closings.set(reply, resolve));
    closed.set(reply, known);
    return known;
  };
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const index = requests.length;
      const request: WireRequest = {
        method: incoming.method ?? "",
        path: incoming.url ?? "",
        headers: incoming.headers,
        body: Buffer.concat(chunks).toString("utf8"),
      };
      requests.push(request);
      closedOf(index);
      outgoing.on("close", () => outgoing.writableFinished || closings.get(index)?.());
      const reply = (typeof script === "function" ? script(request, index) : script[index]) ?? { text: "done" };
      if (reply.stallAfter === -1) return;
      const status = reply.status ?? 200;
      if (status !== 200) {
        outgoing.writeHead(status, { "content-type": "application/json", ...reply.headers });
        outgoing.end(reply.body ?? protocol.error(reply));
        return;
      }
      outgoing.writeHead(200, { "content-type": protocol.contentType, ...reply.headers });
      outgoing.flushHeaders();
      const frames = reply.raw ?? protocol.frames(reply, request);
      const until = reply.cutAfter ?? reply.stallAfter ?? frames.length;
      for (const frame of frames.slice(0, until)) outgoing.write(frame);
      if (reply.cutAfter !== undefined) setImmediate(() => outgoing.destroy());
      else if (reply.drip !== undefined) {
        const dripping = setInterval(() => outgoing.write(reply.drip), 5);
        outgoing.on("close", () => clearInterval(dripping));
      } else if (reply.stallAfter === undefined) outgoing.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    closed: closedOf,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** `text` in pieces of `size` characters; one empty piece for an empty text. */
export function pieces(text: string, size = 12): string[] {
  const out: string[] = [];
  for (let at = 0; at < text.length; at += size) out.push(text.slice(at, at + size));
  return out.length > 0 ? out : [""];
}

export function sse(payload: unknown): string {
  return `data: ${JSON.stringify(payload)}\n\n`;
}

export function argumentsOf(call: { input?: unknown; raw?: string }): string {
  return call.raw ?? JSON.stringify(call.input ?? {});
}

export function callId(call: { id?: string }, prefix: string, index: number): string {
  return call.id ?? `${prefix}_${index + 1}`;
}
