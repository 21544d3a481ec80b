// When servers are started and ended, with time in hand. The server is a few lines in this process; what real and hostile ones
// do is in test/sdk.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/run.js";
import { nodeFs } from "../lib/fs.js";
import { FrameReader, frame } from "./framing.js";
import type { ServerPlan } from "./plan.js";
import { Pool } from "./pool.js";
import type { Launch } from "./server.js";

type Asked = { id?: number; method: string };

/** A pool over a project with `a.x` and `pkg/b.x`, and the servers that it started. */
function stage(more: Partial<ServerPlan> = {}, answers: (method: string) => boolean = () => true) {
  const root = tempDir("cinch-pool-");
  mkdirSync(join(root, "pkg"));
  for (const name of ["a.x", "pkg/b.x", "pkg/mark"]) writeFileSync(join(root, name), "text\n");
  const servers: { cwd: string; heard: string[]; die(how: string): void; isOver: boolean }[] = [];
  const launch: Launch = async (_, cwd, heard) => {
    let die = (_how: string) => {};
    const ended = new Promise<string>((resolve) => {
      die = resolve;
    });
    const server = { cwd, heard: [] as string[], die, isOver: false };
    servers.push(server);
    void ended.then(() => {
      server.isOver = true;
    });
    const answer = ({ id, method }: Asked) => {
      server.heard.push(method);
      if (id !== undefined && answers(method))
        heard(frame({ id, result: method === "initialize" ? { capabilities: {} } : null }));
      if (method === "exit") die("it ended with exit code 0");
    };
    const reads = new FrameReader({ message: (each) => answer(each as Asked), fault: () => expect.unreachable() });
    return {
      isStarted: true,
      write: (bytes) => reads.push(bytes),
      ended,
      complaint: () => "",
      stop: async () => die("it was ended by SIGKILL"),
    };
  };
  const time = { now: 0, due: new Map<() => void, number>() };
  const clock = {
    mono: () => time.now,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        time.due.set(resolve, time.now + ms);
        signal?.addEventListener("abort", () => {
          time.due.delete(resolve);
          reject(signal.reason);
        });
      }),
  };
  const pass = async (ms: number) => {
    time.now += ms;
    for (const [act, at] of [...time.due]) if (at <= time.now) act();
    await Promise.resolve();
  };
  const plan = { name: "x", source: "lsp.json", argv: ["x"], languages: { ".x": "x" }, marks: ["mark"], ...more };
  const candidates = () => [{ plan, state: "ready" as const, why: "" }];
  const pool = new Pool({ disk: nodeFs, root, launch, candidates, clock });
  const ask = (name = "a.x") => pool.for(join(root, name), new AbortController().signal);
  return { root, pool, servers, pass, ask };
}

test("one server for a root, also for two calls at once; another root has its own", async () => {
  const { pool, servers, ask, root } = stage();
  const [one, two] = await Promise.all([ask(), ask()]);
  expect(one).toBe(two);
  await ask("pkg/b.x");
  expect(servers.map(({ cwd }) => cwd)).toEqual([root, join(root, "pkg")]);
  await pool.close();
  expect(servers.map(({ isOver }) => isOver)).toEqual([true, true]);
  await expect(ask()).rejects.toThrow("no language server is started any more");
});

test("one that runs files of the project has the project's root, where they were looked at", async () => {
  const { pool, servers, ask, root } = stage({ runs: ["node_modules/tool.js"] });
  await ask("pkg/b.x");
  expect(servers.map(({ cwd }) => cwd)).toEqual([root]);
  await pool.close();
});

test("closing waits for no answer of a server that is being started, and for the end of one that was idle", async () => {
  const { pool, servers, ask } = stage({}, (method) => method !== "initialize");
  const asked = expect(ask()).rejects.toThrow("no language server is started any more");
  await expect.poll(() => servers[0]?.heard).toContain("initialize");
  await pool.close();
  expect(servers[0]?.isOver).toBe(true);
  await asked;
  const idle = stage();
  await idle.ask();
  await idle.pass(15 * 60_000);
  await idle.pool.close();
  expect(idle.servers[0]?.isOver).toBe(true);
});

test("one that nobody asks for 15 minutes is shut down; the next call starts another with the same documents", async () => {
  const { pool, servers, pass, ask, root } = stage();
  (await ask()).open(join(root, "a.x"));
  await pass(14 * 60_000);
  await ask();
  await pass(14 * 60_000);
  expect(pool.all()).toHaveLength(1);
  await pass(60_000);
  expect(pool.all()).toEqual([]);
  await expect.poll(() => servers[0]?.isOver).toBe(true);
  expect(servers[0]?.heard.slice(-2)).toEqual(["shutdown", "exit"]);
  expect(pool.failed()).toEqual([]);
  await ask();
  expect(servers[1]?.heard).toContain("textDocument/didOpen");
  await pool.close();
});

const startable = (seconds: number) => expect.stringContaining(`may be started again in ${seconds} s`);

test("one that dies is started again at once, then after 1, 2, 4 … 60 s; after a healthy minute at once again", async () => {
  const { pool, servers, pass, ask } = stage();
  const die = async () => {
    servers.at(-1)?.die("it ended with exit code 7");
    await expect.poll(() => pool.all()).toEqual([]);
  };
  await ask();
  await die();
  await ask();
  await die();
  for (const pause of [1, 2, 4, 8, 16, 32, 60, 60]) {
    await expect(ask()).rejects.toMatchObject({ hint: startable(pause) });
    await pass(pause * 1_000 - 1);
    await expect(ask()).rejects.toMatchObject({ hint: startable(1) });
    await pass(1);
    await ask();
    await die();
  }
  expect(pool.failed()).toMatchObject([{ plan: { name: "x" }, why: "it ended with exit code 7" }]);
  await pass(60_000);
  await ask();
  await pass(60_001);
  await die();
  await ask();
  expect(pool.failed()).toEqual([]);
  await pool.close();
});
