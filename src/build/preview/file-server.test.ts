import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../test/support/run.js";
import { nodeFs } from "../../lib/fs.js";
import { serveFolder } from "./file-server.js";
import { freePort } from "./free-port.js";
import { isExposed, probe } from "./probe.js";

async function served() {
  const base = tempDir();
  const root = join(base, "site");
  mkdirSync(join(root, "sub", ".git"), { recursive: true });
  mkdirSync(join(root, "bare"));
  const write = (path: string, text: string) => writeFileSync(join(base, path), text);
  write("site/index.html", "<h1>here</h1>");
  write("site/app.js", "let a = 1;");
  write("site/sub/index.html", "below");
  write("site/with blank.css", "a {}");
  write("site/empty.txt", "");
  write("site/.env", "KEY=1");
  write("site/sub/.git/config", "secret");
  write("outside.txt", "outside");
  symlinkSync("../outside.txt", join(root, "link.txt"));
  symlinkSync("..", join(root, "up"));
  symlinkSync(".env", join(root, "env.txt"));
  symlinkSync("app.js", join(root, "same.js"));
  const port = await freePort(8_080);
  const server = await serveFolder(nodeFs, root, port);
  onTestFinished(() => server.close());
  /** Byte for byte: no client tidies the path up. */
  const ask = (path: string, { host = `127.0.0.1:${port}`, method = "GET" } = {}) =>
    new Promise<{ status: number; type: string; body: string; headers: Record<string, unknown> }>((resolve, reject) => {
      const sent = request({ port, host: "127.0.0.1", path, method, headers: { host }, agent: false }, (response) => {
        let body = "";
        response.setEncoding("utf8").on("data", (text: string) => {
          body += text;
        });
        response.once("end", () => {
          const { statusCode: status = 0, headers } = response;
          resolve({ status, type: headers["content-type"] ?? "", body, headers });
        });
      });
      sent.once("error", reject);
      sent.end();
    });
  return { ask, port, root };
}

test("files come as what they are, and fresh", async () => {
  const { ask } = await served();
  expect(await ask("/")).toMatchObject({ status: 200, type: "text/html; charset=utf-8", body: "<h1>here</h1>" });
  expect(await ask("/app.js?v=2")).toMatchObject({ status: 200, type: "text/javascript; charset=utf-8" });
  expect(await ask("/with%20blank.css")).toMatchObject({ status: 200, body: "a {}" });
  expect(await ask("/same.js")).toMatchObject({ status: 200, body: "let a = 1;" });
  expect(await ask("/empty.txt")).toMatchObject({ status: 200, body: "" });
  expect(await ask("/app.js", { method: "HEAD" })).toMatchObject({ status: 200, body: "" });
  const { headers } = await ask("/app.js");
  expect(headers).toMatchObject({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
});

test("a directory shows its page, or nothing", async () => {
  const { ask } = await served();
  const moved = await ask("/sub");
  expect([moved.status, moved.headers["location"]]).toEqual([302, "/sub/"]);
  const doubled = await ask("//sub");
  expect(doubled.headers["location"]).toBe("/sub/");
  expect(await ask("/sub/")).toMatchObject({ status: 200, body: "below" });
  expect(await ask("/bare/")).toMatchObject({ status: 404 });
});

test.each([
  "/../outside.txt",
  "/%2e%2e/outside.txt",
  "/sub/..%2f..%2foutside.txt",
  "/..%5coutside.txt",
  "/link.txt",
  "/up/outside.txt",
  "/.env",
  "/%2eenv",
  "/env.txt",
  "/sub/.git/config",
  "/app.js%00.html",
  "/%",
  "/missing.html",
  "/app.js/",
])("%s is nothing that is shown", async (path) => {
  const { ask } = await served();
  const { status, body } = await ask(path);
  expect([status, body]).toEqual([404, "There is no such file.\n"]);
});

test("whoever calls it by another name is a page of somebody else", async () => {
  const { ask, port } = await served();
  expect(await ask("/", { host: `localhost:${port}` })).toMatchObject({ status: 200 });
  expect(await ask("/", { host: `evil.example:${port}` })).toMatchObject({ status: 421 });
  expect(await ask("/", { method: "POST" })).toMatchObject({ status: 405 });
});

test("what changes is shown as it is then, and nobody but this machine is answered", async () => {
  const { port, root } = await served();
  writeFileSync(join(root, "index.html"), "changed");
  expect(await probe(port, "/")).toEqual({ status: 200, body: "changed" });
  expect(await isExposed(port)).toBe(false);
});
