import { createServer, type RequestListener } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "./free-port.js";
import { isExposed, probe } from "./probe.js";

async function listening(host: string | undefined, answer: RequestListener): Promise<number> {
  const port = await freePort(9_100);
  const server = createServer(answer);
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return port;
}

test("a port that is taken is not free, on whatever address", async () => {
  const taken = await listening("127.0.0.1", (_request, response) => void response.end());
  expect(await freePort(taken)).toBeGreaterThan(taken);
  const elsewhere = await listening("127.0.0.3", (_request, response) => void response.end());
  expect(await freePort(elsewhere)).toBeGreaterThan(elsewhere);
});

test("an answer is its status and the beginning of its text", async () => {
  const port = await listening("127.0.0.1", ({ url }, response) => {
    response.writeHead(url === "/long" ? 500 : 204).end(url === "/long" ? "x".repeat(100_000) : undefined);
  });
  expect(await probe(port, "/")).toEqual({ status: 204, body: "" });
  expect(await probe(port, "/long")).toEqual({ status: 500, body: "x".repeat(1_500) });
});

test("nobody there, or nothing that is HTTP, is no answer", async () => {
  expect(await probe(await freePort(9_400), "/")).toBeNull();
});

test.runIf(process.platform === "linux")("who listens on every address is told from who does not", async () => {
  const answer: RequestListener = (_request, response) => void response.end();
  expect(await isExposed(await listening("127.0.0.1", answer))).toBe(false);
  expect(await isExposed(await listening("0.0.0.0", answer))).toBe(true);
  expect(await isExposed(await listening(undefined, answer))).toBe(true);
});
