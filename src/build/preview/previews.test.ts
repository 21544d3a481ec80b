// Previews through the tasks of a real session: real servers, real ports, real process groups.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createConnection } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { needsProc } from "../../../test/support/needs.js";
import { previewStage, previewsIn } from "../../../test/support/previews.js";

const never = new AbortController().signal;

const server = (answer: string, host = "process.env.HOST") =>
  `require("node:http").createServer((request, response) => { ${answer} }).listen(process.env.PORT, ${host});
   console.log("listening, as", process.pid);`;

/** Does anybody listen there? */
function isOpen(url: string | null): Promise<boolean> {
  const { port } = new URL(url ?? "");
  return new Promise((resolve) => {
    const socket = createConnection({ host: "127.0.0.1", port: Number(port) });
    const over = (open: boolean) => {
      socket.destroy();
      resolve(open);
    };
    socket.once("connect", () => over(true));
    socket.once("error", () => over(false));
  });
}

test("a server is started, answers, and is ended with everything it started", async () => {
  const spawning = `require("node:child_process").spawn("sleep", ["600"], { detached: true, stdio: "ignore" });`;
  const { previews, harness } = await previewStage({
    "server.js": spawning + server('response.end("<h1>hello</h1>")'),
  });
  expect(await previews.status()).toMatchObject({ state: "stopped", url: null, what: "There is no preview." });
  const shown = await previews.start({}, never);
  expect(shown).toMatchObject({ state: "healthy", stack: "node", status: 200 });
  expect(shown.url).toMatch(/^http:\/\/127\.0\.0\.1:3\d{3}\/$/);
  expect(await (await fetch(shown.url ?? "")).text()).toBe("<h1>hello</h1>");
  const [task] = await harness.tasks.list();
  expect(task).toMatchObject({ kind: "shell", title: "preview (node)", detach: false, state: "running" });
  expect(await previews.stop()).toMatchObject({ state: "stopped", url: shown.url, what: "It was stopped." });
  expect(await isOpen(shown.url)).toBe(false);
  expect((await harness.tasks.list())[0]?.state).toBe("cancelled");
});

test("a second one takes the place of the first", async () => {
  const { previews, harness } = await previewStage({ "server.js": server('response.end("one")') });
  const first = await previews.start({}, never);
  const [again, third] = [previews.start({}, never), previews.start({ path: "/third" }, never)];
  await expect(again).rejects.toThrow("cancelled");
  expect(await third).toMatchObject({ state: "healthy", url: expect.stringMatching(/\/third$/) });
  const running = (await harness.tasks.list()).filter(({ state }) => state === "running");
  expect(running).toHaveLength(1);
  expect((await harness.tasks.list()).length).toBe(2);
  expect(new URL((await third).url ?? "").port).toBe(new URL(first.url ?? "").port);
});

test("a program that ends, or never answers, is told with what it printed", async () => {
  const broken = await previewStage({ "server.js": 'app.listen(3000) // "listen("' });
  const ended = await broken.previews.start({}, never);
  expect(ended).toMatchObject({ state: "unhealthy", stack: "node", status: null });
  expect(ended.what).toMatch(
    /^It has ended with exit code 1\.\nIt printed last:\n.*ReferenceError: app is not defined/s,
  );
  expect(await broken.previews.status()).toMatchObject({ state: "unhealthy", what: ended.what });
  expect(await broken.previews.stop()).toMatchObject({ state: "stopped" });
});

test("an answer that is an error is no health, and its text is told", async () => {
  const { previews, root } = await previewStage({
    "server.js": server(
      `const there = require("node:fs").existsSync("ok"); response.writeHead(there ? 200 : 500).end("no template")`,
    ),
  });
  const ill = await previews.start({}, never);
  expect(ill).toMatchObject({ state: "unhealthy", status: 500 });
  expect(ill.what).toMatch(/^It answers 500\.\nno template\nIt printed last:\nlistening, as \d+$/);
  writeFileSync(join(root, "ok"), "");
  expect(await previews.status()).toMatchObject({ state: "healthy", status: 200 });
});

test.runIf(process.platform === "linux")("what others could reach is ended", async () => {
  const { previews } = await previewStage({ "server.js": server("response.end()", "undefined") });
  const exposed = await previews.start({}, never);
  expect(exposed.state).toBe("unhealthy");
  expect(exposed.what).toContain(
    "It listened on every address of this machine, so that others could reach it, and was ended",
  );
  expect(await isOpen(exposed.url)).toBe(false);
  expect(await previews.status()).toEqual(exposed);
});

test("what is not allowed does not run", async () => {
  const { previews, harness } = await previewStage({ "server.js": server("response.end()") }, "ask");
  await expect(previews.start({}, never)).rejects.toThrow(/was not started: Denied /);
  expect(await harness.tasks.list()).toEqual([]);
  expect(await previews.status()).toMatchObject({ state: "stopped" });
});

test("a page alone needs no command, and none of the project's", async () => {
  const { previews, harness } = await previewStage({ "web/index.html": "<p>page", "web/a.js": "1" }, "ask");
  const shown = await previews.start({}, never);
  expect(shown).toMatchObject({ state: "healthy", stack: "static" });
  expect(await (await fetch(shown.url ?? "")).text()).toBe("<p>page");
  expect(await harness.tasks.list()).toEqual([]);
  await expect(previews.start({ detach: true }, never)).rejects.toThrow("it ends with Cinch");
  expect(await isOpen(shown.url)).toBe(false);
});

test("nothing to start is said, and the plan's own start is believed", async () => {
  const { previews } = await previewStage({ "srv/go.cjs": server('response.end("said")') });
  expect(await previews.start({}, never)).toMatchObject({ state: "stopped", stack: null });
  const shown = await previews.start({ start: "cd srv && node go.cjs" }, never);
  expect(shown).toMatchObject({ state: "healthy", stack: "plan" });
});

needsProc("whoever takes the port before the command listens does not pass as it", async () => {
  const slow = `const fs = require("node:fs"); fs.writeFileSync("port.new", process.env.PORT); fs.renameSync("port.new", "port"); setInterval(() => {}, 1_000); // listen(`;
  const { previews, harness, root } = await previewStage({ "server.js": slow });
  const started = previews.start({}, never);
  const refused = expect(started).rejects.toThrow(
    /A program that this command did not start answers at 127\.0\.0\.1:3/,
  );
  await expect.poll(() => existsSync(join(root, "port")), { timeout: 50_000 }).toBe(true);
  const stranger = createServer((_request, response) => void response.end("<title>another</title>"));
  onTestFinished(() => void stranger.close());
  stranger.listen(Number(readFileSync(join(root, "port"), "utf8")), "127.0.0.1");
  await refused;
  expect((await harness.tasks.list())[0]?.state).toBe("cancelled");
  expect(await previews.status()).toMatchObject({ state: "stopped", what: expect.stringContaining("did not start") });
});

needsProc("a server that left its process group is the command's own all the same", async () => {
  const { previews } = await previewStage({ "srv/go.cjs": server('response.end("far")') });
  const shown = await previews.start({ start: "setsid node srv/go.cjs & wait" }, never);
  expect(shown).toMatchObject({ state: "healthy", what: "It answers (200)." });
});

test("what an earlier Cinch has left detached is asked, ended, and gives way to a second one", async () => {
  const first = await previewStage({ "server.js": server('response.end("left")') });
  const kept = await first.previews.start({ detach: true, path: "/app" }, never);
  await first.harness.close();
  const next = async () => {
    const { harness, session } = await first.open({ settings: { permissions: { mode: "auto" } } });
    return { harness, previews: previewsIn(harness, session) };
  };
  const second = await next();
  expect(await second.previews.status()).toEqual({ ...kept, stack: "node" });
  expect(await second.previews.stop({ keepDetached: true })).toMatchObject({ url: kept.url, state: "healthy" });
  expect(await isOpen(kept.url)).toBe(true);
  const shown = await second.previews.start({ detach: true }, never);
  const running = (await second.harness.tasks.list()).filter(({ state }) => state === "running");
  expect([shown.state, running.length]).toEqual(["healthy", 1]);
  await second.harness.close();
  const third = await next();
  expect(await third.previews.stop()).toMatchObject({ state: "stopped", url: shown.url, what: "It was stopped." });
  expect(await isOpen(shown.url)).toBe(false);
});

test("it ends with the session, detached it goes on", async () => {
  const { previews, harness } = await previewStage({ "server.js": server("response.end()") });
  const shown = await previews.start({}, never);
  await harness.close();
  expect(await isOpen(shown.url)).toBe(false);

  const other = await previewStage({ "server.js": server("response.end()") });
  const kept = await other.previews.start({ detach: true }, never);
  const [task] = await other.harness.tasks.list();
  await other.harness.close();
  expect(task?.detach).toBe(true);
  expect(await isOpen(kept.url)).toBe(true);
  const later = await other.open();
  await later.harness.tasks.cancel(task?.id ?? "");
  expect(await isOpen(kept.url)).toBe(false);
});
