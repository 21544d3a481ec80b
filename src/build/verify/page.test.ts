import { createSocket } from "node:dgram";
import { readdirSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { needs } from "../../../test/support/needs.js";
import { running } from "../../../test/support/processes.js";
import { tempDir } from "../../../test/support/run.js";
import { nodeFs } from "../../lib/fs.js";
import { freePort } from "../preview/free-port.js";
import { findBrowser } from "./browser.js";
import { lookAt } from "./page.js";

const path = process.env["PATH"] ?? "";
const withBrowser = needs("chromium");

async function serving(answer: RequestListener): Promise<string> {
  const port = await freePort(9_500);
  const server = createServer(answer);
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return `http://127.0.0.1:${port}/`;
}

function page(html: string, more: Record<string, string> = {}): Promise<string> {
  return serving(({ url = "" }, response) => {
    const text = url === "/" ? html : more[url];
    const type = url.endsWith(".js") ? "text/javascript" : "text/html";
    response.writeHead(text === undefined ? 404 : 200, { "content-type": type }).end(text);
  });
}

async function look(url: string, options: { patience?: number; signal?: AbortSignal } = {}) {
  const program = findBrowser(nodeFs, path, "/nowhere") ?? "";
  return lookAt({ disk: nodeFs, program, path, url, signal: new AbortController().signal, ...options });
}

function traces(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith(`cinch-browser-${process.pid}-`));
}

withBrowser("a page that is well has its title, its text and a picture", async () => {
  const seen = await look(await page("<title>A timer</title><h1>25:00</h1><script>console.log('fine')</script>"));
  expect(seen).toMatchObject({ title: "A timer", text: 5, faults: [], blocked: [] });
  expect(seen.picture?.subarray(1, 4).toString()).toBe("PNG");
  expect(traces()).toEqual([]);
});

withBrowser("what goes wrong in it is told with its place", async () => {
  const url = await page(
    "<!doctype html><script src=/app.js></script><img src=/none.png><script>fetch('/api/none')</script>",
    { "/app.js": "console.error('no', { a: 1 });\n\nmissing();" },
  );
  const { faults } = await look(url);
  expect(faults).toContainEqual({ kind: "console", text: "no Object", url: `${url}app.js`, line: 1 });
  expect(faults).toContainEqual({
    kind: "exception",
    text: "ReferenceError: missing is not defined",
    url: `${url}app.js`,
    line: 3,
  });
  const requests = faults.filter(({ kind }) => kind === "request").map(({ text }) => text);
  expect(requests.sort()).toEqual([`${url}api/none answers 404`, `${url}none.png answers 404`]);
});

// Another address of this machine stands for elsewhere: the browser may reach 127.0.0.1 and no other.
withBrowser("nothing else is reached, whatever it is asked by", async () => {
  let reached = 0;
  const port = await freePort(9_600);
  const elsewhere = createServer((_request, response) => {
    reached++;
    response.end();
  });
  elsewhere.on("upgrade", () => reached++);
  onTestFinished(() => void elsewhere.close());
  await new Promise<void>((resolve) => elsewhere.listen(port, "127.0.0.2", resolve));
  const outside = `http://127.0.0.2:${port}`;
  const url = await page(
    `<link rel=stylesheet href=${outside}/a.css><img src=http://169.254.169.254/meta><link rel=preconnect href=${outside}>
     <script>new WebSocket("ws://127.0.0.2:${port}/socket"); fetch("${outside}/data").catch(() => {});</script>ok`,
  );
  const { blocked } = await look(url);
  const wanted = [
    `${outside}/a.css`,
    "http://169.254.169.254/meta",
    `ws://127.0.0.2:${port}/socket`,
    `${outside}/data`,
  ];
  expect([...blocked].sort()).toEqual(wanted.sort());
  expect(reached).toBe(0);
});

// What is asked for over UDP goes through no proxy: calls between browsers, and HTTP/3.
withBrowser("nothing leaves over UDP", async () => {
  const heard: string[] = [];
  const elsewhere = createSocket("udp4", (packet) => void heard.push(packet.toString("hex", 0, 8)));
  onTestFinished(() => void elsewhere.close());
  await new Promise<void>((resolve) => elsewhere.bind(0, "127.0.0.2", resolve));
  const { port } = elsewhere.address();
  const url = await page(
    `<title>before</title><script type=module>
      new WebTransport("https://127.0.0.2:${port}/data").ready.catch(() => {});
      const call = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.2:${port}" }] });
      call.createDataChannel("data");
      await call.setLocalDescription(await call.createOffer());
      document.title = "asked";
    </script>`,
  );
  expect((await look(url)).title).toBe("asked");
  expect(heard).toEqual([]);
});

withBrowser("a page that goes elsewhere is not the page that was to be seen", async () => {
  const byScript = (to: string) => page(`<script>location = "${to}"</script>`, { "/there": "<title>there</title>" });
  for (const to of ["http://example.com/x", "http://127.0.0.1:1/x"])
    expect((await look(await byScript(to))).faults).toContainEqual({ kind: "gone", text: to });
  const sent = await serving((_request, response) =>
    response.writeHead(302, { location: "http://example.com/" }).end(),
  );
  await expect(look(sent)).rejects.toThrow("The page does not load");
  expect(await look(await byScript("/there"))).toMatchObject({ title: "there", faults: [] });
});

withBrowser("a page that asks, or never comes to rest, is looked at all the same", async () => {
  const url = await serving(({ url: asked }, response) => {
    if (asked !== "/endless") response.end("<title>t</title><script>alert(1); fetch('/endless')</script>asked");
    else response.write(".");
  });
  expect(await look(url)).toMatchObject({ title: "t", text: 5, faults: [] });
});

withBrowser("nothing to see is an error, and no browser is left", async () => {
  const nobody = `http://127.0.0.1:${await freePort(9_700)}/`;
  await expect(look(nobody)).rejects.toThrow("The page does not load: net::ERR_CONNECTION_REFUSED.");
  const hanging = await page("<script>for (;;) {}</script>");
  await expect(look(hanging, { patience: 4_000 })).rejects.toThrow("The browser was given up after 4 s.");
  expect(traces()).toEqual([]);
  expect(running(`cinch-browser-${process.pid}-`)).toEqual([]);
});

test("a browser that cannot start says why", async () => {
  const url = "http://127.0.0.1:1/";
  const look = lookAt({ disk: nodeFs, program: "/bin/false", path, url, signal: new AbortController().signal });
  await expect(look).rejects.toThrow("The browser is gone: it ended with exit code 1.");
  expect(traces()).toEqual([]);
});

test("no browser of the project's own is run", () => {
  const root = tempDir();
  nodeFs.mkdirSync(`${root}/bin`);
  nodeFs.writeSync(nodeFs.openSync(`${root}/bin/chromium`, "w", 0o755), "#!/bin/sh\n");
  expect(findBrowser(nodeFs, `${root}/bin`, root)).toBeNull();
  expect(findBrowser(nodeFs, `${root}/bin`, "/elsewhere")).toBe(`${root}/bin/chromium`);
  expect(findBrowser(nodeFs, "bin:/nowhere", root)).toBeNull();
});
