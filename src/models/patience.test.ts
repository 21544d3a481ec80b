// Servers below the level of a protocol: bytes that come for ever without ever being an answer, or beyond all measure.

import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { ask, open } from "../../test/support/model.js";

/** A server that says these bytes to whatever it is asked. */
async function serveBytes(answer: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => {}); // It is closed on us.
    socket.once("data", () => answer(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const anthropicEnv = (url: string) => ({ ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: url });

test.each([
  ["headers", "HTTP/1.1 200 OK\r\nx-slow: "],
  ["a page that tells of an error", "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\n\r\n{"],
])("%s in drops for ever are given up", async (_, first) => {
  const url = await serveBytes((socket) => {
    socket.write(first);
    const dripping = setInterval(() => socket.write("x"), 5);
    socket.on("close", () => clearInterval(dripping));
  });
  const stall = { firstByte: 80, betweenBytes: 10_000, betweenParts: 40 };
  const { fail } = await ask(await open("anthropic/x", { env: anthropicEnv(url), stall }));
  expect(fail).toMatchObject({
    kind: "network",
    text: expect.stringContaining("nothing of the answer came for 80 ms"),
  });
});

test("an answer beyond all reason is not asked for again", async () => {
  const piece = "x".repeat(1024 * 1024);
  const url = await serveBytes((socket) => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: ");
    const more = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on("drain", more);
    more();
  });
  const { fail } = await ask(await open("anthropic/x", { env: anthropicEnv(url) }));
  expect(fail).toMatchObject({ kind: "request", text: expect.stringMatching(/^The server sent more than 64 MB/) });
});

test("a server that changes to another protocol is no model", async () => {
  const url = await serveBytes((socket) => socket.write("HTTP/1.1 101 X\r\nupgrade: y\r\nconnection: upgrade\r\n\r\n"));
  const { fail } = await ask(await open("anthropic/x", { env: anthropicEnv(url) }));
  expect(fail).toMatchObject({ kind: "request", text: expect.stringMatching(/another protocol\. Check the base URL/) });
});
