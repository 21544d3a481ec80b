// The embedded queue against the contract of all queues, on a real disk; its owner is a process that has really ended.

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { conforms } from "../../test/conformance/task-queue.js";
import { tempDir } from "../../test/support/run.js";
import type { Redactor } from "../core/redactor.js";
import type { TaskRecord } from "../core/task.js";
import { nodeFs as disk } from "../lib/fs.js";
import { lifeOf } from "../lib/life.js";
import { EmbeddedQueue } from "./embedded.js";
import { settleOrphans } from "./orphans.js";
import { readOutput } from "./output.js";
import { outlived } from "./retention.js";
import { ShellRunner } from "./shell-runner.js";
import { TaskStore } from "./store.js";

const same = { push: (piece: Buffer) => piece, end: () => Buffer.alloc(0) };
/** Nothing is secret here. */
const redactor: Redactor = {
  values: (text) => text,
  all: (text) => text,
  pieces: () => ({ push: (text) => text, end: () => "" }),
  bytes: () => same,
  masks: () => same,
};

/** Where the disk has no faults. */
const failing = (error: unknown) => {
  throw error;
};

function storeIn(dir: string, faults: string[] = []) {
  return new TaskStore({ disk, dir, damaged: (path, why) => faults.push(`${path}: ${why}`) });
}

function queueOf(store: TaskStore, parallel = 4) {
  return new EmbeddedQueue({
    ...{ store, parallel, now: Date.now, redact: (facts) => facts },
    fault(error) {
      throw error;
    },
  });
}

conforms("embedded", async (parallel) => {
  const dir = join(tempDir(), "tasks");
  const child = spawn("sleep", ["600"], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  const owner = { ...lifeOf(disk, child.pid ?? 0), session: "s", call: null };
  return {
    queue: queueOf(storeIn(dir), parallel),
    owner,
    async die() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await ended;
      const store = storeIn(dir);
      const shells = new ShellRunner({ disk, store, redactor, cap: () => 1 });
      await settleOrphans({ disk, store, shells, now: Date.now, fault: failing }, store.list());
      return queueOf(store, parallel);
    },
  };
});

const record = (id: string, more: object = {}) => ({
  ...{ v: 1, id, kind: "shell", state: "succeeded", parent: null, depth: 1, title: id, cwd: "/", detach: false },
  ...{ labels: [], deadline: null, limits: {}, dependsOn: [], created: 1, started: 1, ended: 1, heartbeat: 1 },
  ...{ usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, cost: null, told: true, result: "long" },
  owner: { pid: 1, start: null, boot: null, host: "h", space: null, session: "s", call: null },
  ...more,
});

test("a record that cannot be read is reported once and kept; the others are listed", () => {
  const dir = tempDir();
  const faults: string[] = [];
  const bad = {
    torn: "{",
    odd: JSON.stringify(record("0000000000c0", { state: "eaten" })),
    whole: record("0000000000a0"),
  };
  writeFileSync(join(dir, "0000000000b0.json"), bad.torn);
  writeFileSync(join(dir, "0000000000c0.json"), bad.odd);
  writeFileSync(join(dir, "0000000000a0.json"), JSON.stringify(bad.whole));
  const store = storeIn(dir, faults);
  for (let round = 0; round < 2; round++) expect(store.list().map(({ id }) => id)).toEqual(["0000000000a0"]);
  expect(faults).toHaveLength(2);
  expect(faults.join()).toContain("it is not one JSON object");
  expect(faults.join()).toContain("its member state is missing or no such thing");
  expect(readFileSync(join(dir, "0000000000b0.json"), "utf8")).toBe(bad.torn);
});

test("no link in place of a record or a log is followed, and a pipe there holds nobody up", () => {
  const dir = tempDir();
  const faults: string[] = [];
  const elsewhere = join(dir, "elsewhere");
  writeFileSync(elsewhere, JSON.stringify(record("0000000000a0")));
  symlinkSync(elsewhere, join(dir, "0000000000a0.json"));
  symlinkSync(elsewhere, join(dir, "0000000000a0.log"));
  execFileSync("mkfifo", [join(dir, "0000000000b0.json"), join(dir, "0000000000b0.log")]);
  const store = storeIn(dir, faults);
  expect(store.list()).toEqual([]);
  expect(faults.join()).toContain("0000000000a0.json: it is a link");
  expect(faults.join()).toContain("0000000000b0.json: it is not one JSON object");
  const read = (id: string) => readOutput(disk, store.file(id, "log"), { maxBytes: 100 }, redactor);
  expect(() => read("0000000000a0")).toThrow("a0.log is a link, and is not followed.");
  expect(read("0000000000b0").text).toBe("");
});

test("a second listing opens one file for what never changes again, and an index that is damaged costs nothing but time", async () => {
  const dir = join(tempDir(), "tasks");
  mkdirSync(dir);
  const ids = Array.from({ length: 50 }, (_, at) => `0000000000${String(at).padStart(2, "0")}`);
  for (const id of ids) writeFileSync(join(dir, `${id}.json`), JSON.stringify(record(id)));
  let opened = 0;
  const counting = {
    ...disk,
    readFileSync: ((...all: Parameters<typeof disk.readFileSync>) => {
      opened++;
      return disk.readFileSync(...all);
    }) as typeof disk.readFileSync,
  };
  const store = new TaskStore({ disk: counting, dir, damaged: () => {} });
  opened = 0;
  expect(store.list()).toHaveLength(50);
  expect(opened).toBe(51);
  opened = 0;
  expect(store.list()).toHaveLength(50);
  expect(opened).toBe(1);
  writeFileSync(join(dir, "settled.jsonl"), "rubbish\n{}\n");
  expect(store.list()).toHaveLength(50);
  store.remove(ids[0] ?? "");
  expect(store.list()).toHaveLength(49);
  // What is written here is in the index at once, as soon as nothing about it changes any more.
  await store.put(record("0000000000zz") as never);
  await store.put(record("0000000000zy", { told: false }) as never);
  opened = 0;
  expect(store.list()).toHaveLength(51);
  expect(opened).toBe(2);
  expect(readdirSync(dir)).not.toContain(`${ids[0]}.json`);
});

test("what is old goes, what was not told to its session four times later, and what goes on never", () => {
  const day = 24 * 60 * 60 * 1_000;
  const at = (id: string, days: number, more: object = {}) =>
    record(id, { ended: (100 - days) * day, ...more }) as never;
  const all = [
    at("a", 1),
    at("b", 11),
    at("c", 39, { told: false }),
    at("d", 41, { told: false }),
    at("e", 99, { state: "running" }),
  ];
  expect(outlived(all, 10, 100 * day).map(({ id }) => id)).toEqual(["b", "d"]);
});

test("what another process has settled or taken over is no longer this one's: its outcome is refused", async () => {
  const dir = tempDir();
  const owner = { ...lifeOf(disk, process.pid), session: "s", call: null };
  const queue = queueOf(storeIn(dir), 1);
  const open = { state: "queued", told: false, started: null, ended: null, owner };
  const [settled, taken, kept] = ["aaaaaaaaaaaa", "bbbbbbbbbbbb", "cccccccccccc"].map((id) => record(id, open));
  const other = storeIn(dir);
  for (const [one, change] of [
    [settled, { state: "interrupted" }],
    [taken, { owner: { ...owner, pid: owner.pid + 1 } }],
  ] as const) {
    await queue.submit([one as TaskRecord]);
    const begun = await queue.claim();
    if (!begun) throw new Error("nothing to claim");
    await other.put({ ...begun, ...change } as TaskRecord);
    expect([await queue.renew(begun.id, { pid: 7 }), await queue.finish(begun.id, { state: "succeeded" })]).toEqual([
      "lost",
      false,
    ]);
    expect(other.read(begun.id)).toMatchObject(change);
    expect(queue.own()).toEqual([]);
  }
  // Their places are free again.
  await queue.submit([kept as TaskRecord]);
  expect((await queue.claim())?.id).toBe(kept?.id);
  expect(await queue.finish("cccccccccccc", { state: "succeeded" })).toBe(true);
});

test("tasks of one millisecond are listed in the order in which they were asked for, newest first", () => {
  const dir = tempDir();
  for (const [id, place] of [
    ["cccccccccccc", undefined],
    ["aaaaaaaaaaaa", 1],
    ["bbbbbbbbbbbb", 2],
  ] as const) {
    const text = JSON.stringify(record(id, place === undefined ? {} : { place }));
    writeFileSync(join(dir, `${id}.json`), text);
  }
  expect(
    storeIn(dir)
      .list()
      .map(({ id }) => id[0]),
  ).toEqual(["b", "a", "c"]);
});

test("what ended while nobody looked ended when its watcher wrote that down", async () => {
  const dir = tempDir();
  const gone = { ...lifeOf(disk, process.pid), session: "s", call: null, left: true };
  const text = JSON.stringify(record("aaaaaaaaaaaa", { state: "running", detach: true, ended: null, owner: gone }));
  writeFileSync(join(dir, "aaaaaaaaaaaa.json"), text);
  writeFileSync(join(dir, "aaaaaaaaaaaa.end"), '{"code":7,"why":"","left":0,"time":5000}');
  const store = storeIn(dir);
  const shells = new ShellRunner({ disk, store, redactor, cap: () => 1 });
  await settleOrphans({ disk, store, shells, now: Date.now, fault: failing }, store.list());
  expect(store.read("aaaaaaaaaaaa")).toMatchObject({ state: "failed", exit_code: 7, ended: 5_000 });
});

test("a full disk keeps nobody from looking: what became of a task is found out again later", async () => {
  const dir = tempDir();
  const owner = { ...lifeOf(disk, process.pid), session: "s", call: null, left: true };
  const path = join(dir, "aaaaaaaaaaaa.json");
  writeFileSync(path, JSON.stringify(record("aaaaaaaaaaaa", { kind: "agent", state: "running", owner })));
  const full = new Proxy(disk, {
    get: (on, name) =>
      name === "writeSync"
        ? () => failing(Object.assign(new Error("full"), { code: "ENOSPC" }))
        : Reflect.get(on, name),
  });
  const store = new TaskStore({ disk: full, dir, damaged: failing });
  const shells = new ShellRunner({ disk, store, redactor, cap: () => 1 });
  const faults: string[] = [];
  const fault = (error: unknown, { id }: { id: string }) => void faults.push(`${id} ${(error as Error).message}`);
  expect(await settleOrphans({ disk, store, shells, now: Date.now, fault }, store.list())).toEqual([]);
  expect(faults).toEqual(["aaaaaaaaaaaa full"]);
  expect(storeIn(dir).read("aaaaaaaaaaaa")).toMatchObject({ state: "running" });
});
