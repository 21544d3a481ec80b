import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { httpFetch, StallError } from "./http.js";

let server: Server;
const sockets = new Set<Socket>();
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await new Promise((resolve) => server.close(resolve));
});

async function serve(handler: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  server = createServer(handler);
  server.on("connection", (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/path?q=1`;
}

test("method, headers, body, status and headers of the answer pass through", async () => {
  let seen = "";
  const url = await serve((request, response) => {
    request.on("data", (chunk) => {
      seen += chunk;
    });
    request.on("end", () => {
      response.writeHead(418, { "X-Thing": "tea", "set-cookie": ["a=1", "b=2"] });
      response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers }));
    });
  });
  const response = await httpFetch(url, { method: "POST", headers: { "x-key": "v", gone: undefined }, body: "grüße" });
  expect(response).toMatchObject({ ok: false, status: 418, statusText: "I'm a Teapot" });
  expect(response.headers.get("x-thing")).toBe("tea");
  expect(Object.fromEntries([...response.headers])["set-cookie"]).toBe("a=1, b=2");
  const echo = JSON.parse(await response.text());
  expect(echo).toMatchObject({ method: "POST", url: "/path?q=1", headers: { "x-key": "v", "content-length": "7" } });
  expect(echo.headers["accept-encoding"]).toBeUndefined();
  expect(seen).toBe("grüße");
});

test("the body is streamed in the server's pieces, with characters split anywhere", async () => {
  const bytes = Buffer.from("grüße, 世界");
  let release = () => {};
  const url = await serve((_, response) => {
    response.writeHead(200);
    response.write(bytes.subarray(0, 3));
    release = () => response.end(bytes.subarray(3));
  });
  const { body } = await httpFetch(url, { method: "GET" });
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const first = await reader.read();
  expect(Buffer.from(first.value ?? []).toString("hex")).toBe(bytes.subarray(0, 3).toString("hex"));
  release();
  const chunks = [Buffer.from(first.value ?? [])];
  for (let next = await reader.read(); !next.done; next = await reader.read()) chunks.push(Buffer.from(next.value));
  expect(Buffer.concat(chunks).toString("utf8")).toBe("grüße, 世界");
});

test("a slow reader holds the server back instead of filling memory", async () => {
  let drained = 0;
  const chunk = Buffer.alloc(1 << 16);
  const url = await serve((_, response) => {
    response.writeHead(200);
    const push = () => {
      while (drained < 2000 && response.write(chunk)) drained++;
      if (drained < 2000) response.once("drain", push);
    };
    push();
  });
  const { body } = await httpFetch(url, { method: "GET" });
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  let before = -1;
  while (before !== drained) {
    before = drained;
    for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(drained).toBeLessThan(1000);
  await reader.cancel();
});

test("an abort rejects or breaks the body, and closes the socket", async () => {
  const closed: Promise<void>[] = [];
  const url = await serve((request, response) => {
    closed.push(new Promise((resolve) => request.socket.once("close", () => resolve())));
    if (closed.length === 2) response.write("some");
  });
  const early = new AbortController();
  const waiting = httpFetch(url, { method: "GET", signal: early.signal });
  while (closed.length < 1) await new Promise((resolve) => setImmediate(resolve));
  early.abort();
  await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
  const late = new AbortController();
  const { body } = await httpFetch(url, { method: "GET", signal: late.signal });
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  late.abort();
  await expect(reader.read()).rejects.toMatchObject({ name: "AbortError" });
  await Promise.all(closed);
  await expect(httpFetch(url, { method: "GET", signal: late.signal })).rejects.toMatchObject({ name: "AbortError" });
});

test("errors before the headers reject, errors after them break the body", async () => {
  let count = 0;
  const url = await serve((request, response) => {
    if (count++ === 0) request.socket.destroy();
    else {
      response.writeHead(200, { "content-length": "100" });
      response.write("partial");
      setImmediate(() => response.destroy());
    }
  });
  await expect(httpFetch(url, { method: "GET" })).rejects.toMatchObject({ code: "ECONNRESET" });
  const { body } = await httpFetch(url, { method: "GET" });
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe("partial");
  await expect(reader.read()).rejects.toThrow();
});

test("a reader may stop when everything has arrived already", async () => {
  const faults: unknown[] = [];
  const note = (fault: unknown) => faults.push(fault);
  process.on("uncaughtException", note);
  const url = await serve((_, response) => response.end("all of it"));
  const { body } = await httpFetch(url, { method: "GET" });
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  await reader.cancel();
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
  process.off("uncaughtException", note);
  expect(faults).toEqual([]);
});

test("redirects are answers like others", async () => {
  let hits = 0;
  const url = await serve((_, response) => {
    hits++;
    response.writeHead(302, { location: "/elsewhere" });
    response.end();
  });
  const response = await httpFetch(url, { method: "GET" });
  expect([response.status, response.headers.get("location"), hits]).toEqual([302, "/elsewhere", 1]);
});

test("connections are kept and used again", async () => {
  const url = await serve((_, response) => response.end("ok"));
  for (let i = 0; i < 3; i++) await (await httpFetch(url, { method: "GET" })).text();
  expect(sockets.size).toBe(1);
});

test("silence ends with the limit that was passed, also on a connection used before", async () => {
  let count = 0;
  const url = await serve((_, response) => {
    if (count++ === 0) response.end("ok");
    else {
      response.writeHead(200);
      response.write("a");
    }
  });
  const stall = { firstByte: 5000, betweenBytes: 30 };
  await (await httpFetch(url, { method: "GET", stall })).text();
  const { text } = await httpFetch(url, { method: "GET", stall });
  await expect(text()).rejects.toThrow(StallError);
});

test("only http and https", async () => {
  await serve(() => undefined);
  await expect(httpFetch("file:///etc/passwd", {})).rejects.toThrow("file:");
});
