import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { needsProc } from "../../test/support/needs.js";
import { type Fs, nodeFs } from "./fs.js";
import { isGone } from "./life.js";
import { acquireLock, type Holder } from "./lock.js";

let dir: string;
let path: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "lock-"));
  path = join(dir, "a.lock");
});

function mine(): Holder {
  const lock = acquireLock(nodeFs, join(dir, "probe"));
  const holder = JSON.parse(readFileSync(join(dir, "probe"), "utf8"));
  if (!lock.held) lock.release();
  return holder;
}

async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ["-e", "0"], { stdio: "ignore" });
  await once(child, "exit");
  return child.pid ?? 0;
}

test("holds against a second taker until released, and leaves nothing behind", () => {
  const lock = acquireLock(nodeFs, path);
  expect(lock.held).toBe(false);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(acquireLock(nodeFs, path)).toMatchObject({ held: true, pid: process.pid });
  if (!lock.held) lock.release();
  expect(readdirSync(dir)).toEqual([]);
  const again = acquireLock(nodeFs, path);
  expect(again.held).toBe(false);
});

test("works on a file system without hard links", () => {
  const disk: Fs = {
    ...nodeFs,
    linkSync: () => {
      throw Object.assign(new Error("EPERM: injected"), { code: "EPERM" });
    },
  };
  const lock = acquireLock(disk, path);
  expect(lock.held).toBe(false);
  expect(acquireLock(disk, path)).toMatchObject({ held: true, pid: process.pid });
  if (!lock.held) lock.release();
  expect(readdirSync(dir)).toEqual([]);
});

test("release leaves a lock alone that is somebody else's by now", () => {
  const lock = acquireLock(nodeFs, path);
  writeFileSync(path, JSON.stringify({ ...mine(), mark: "other" }));
  if (!lock.held) lock.release();
  expect(existsSync(path)).toBe(true);
});

test("is taken over from a process that is gone", async () => {
  writeFileSync(path, JSON.stringify({ ...mine(), pid: await deadPid() }));
  expect(acquireLock(nodeFs, path).held).toBe(false);
  expect(JSON.parse(readFileSync(path, "utf8")).pid).toBe(process.pid);
  expect(readdirSync(dir)).toEqual(["a.lock"]);
});

test("a takeover that died half-way does not block the next one", async () => {
  const dead = JSON.stringify({ ...mine(), pid: await deadPid() });
  writeFileSync(path, dead);
  writeFileSync(`${path}.takeover`, dead);
  expect(acquireLock(nodeFs, path).held).toBe(false);
  expect(readdirSync(dir)).toEqual(["a.lock"]);
});

test.each(["", "{", "null", '{"pid":0,"host":"x","mark":"y"}', '{"pid":-1,"host":"x","mark":"y"}', "\0\0\0"])(
  "a lock that says %j is held by nobody knows whom, and stays",
  (text) => {
    writeFileSync(path, text);
    expect(acquireLock(nodeFs, path)).toEqual({ held: true, pid: null, host: "" });
    expect(readFileSync(path, "utf8")).toBe(text);
  },
);

test("E 118, D 99: only what is known to be gone is gone", async () => {
  const here = mine();
  const dead = { ...here, pid: await deadPid() };
  expect(isGone(nodeFs, here, here)).toBe(false);
  expect(isGone(nodeFs, dead, here)).toBe(true);
  expect(isGone(nodeFs, { ...dead, host: "elsewhere" }, here)).toBe(false);
  expect(isGone(nodeFs, { ...dead, space: "pid:[1]" }, here)).toBe(false);
  expect(isGone(nodeFs, { ...here, boot: "before" }, here)).toBe(true);
  expect(isGone(nodeFs, { ...here, boot: "before", host: "elsewhere" }, here)).toBe(false);
  expect(isGone(nodeFs, { ...here, start: "1" }, here)).toBe(here.start !== null);
  expect(isGone(nodeFs, { ...here, start: null }, here)).toBe(false);
});

needsProc("D 98: a zombie holds nothing", async () => {
  // What bash becomes never asks for its child.
  const parent = spawn("bash", ["-c", "sleep 0.3 & echo $!; exec sleep 600"], { stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void parent.kill("SIGKILL"));
  const [said] = (await once(parent.stdout, "data")) as [Buffer];
  const pid = Number(said.toString());
  while (!readFileSync(`/proc/${pid}/stat`, "latin1").includes(") Z ")) await new Promise((go) => setImmediate(go));
  expect(isGone(nodeFs, { ...mine(), pid, start: null }, mine())).toBe(true);
});

test("of many processes that find a stale lock at the same time, one gets it", async () => {
  const stale = JSON.stringify({ ...mine(), pid: await deadPid() });
  const script = join(dir, "child.mjs");
  await build({
    stdin: {
      contents: `
        import { acquireLock } from "./lock.js"; import { nodeFs } from "./fs.js";
        process.stdout.write("ready\\n");
        process.stdin.once("data", () => {
          const lock = acquireLock(nodeFs, ${JSON.stringify(path)});
          process.stdout.write(lock.held ? "held\\n" : "ours\\n");
        });
        process.stdin.on("end", () => process.exit(0));`,
      resolveDir: import.meta.dirname,
      loader: "ts",
    },
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: script,
  });
  for (let round = 0; round < 3; round++) {
    writeFileSync(path, stale);
    const children = Array.from({ length: 5 }, () =>
      spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] }),
    );
    const said = children.map(() => "");
    for (const [i, child] of children.entries()) child.stdout.on("data", (data) => (said[i] += data));
    await until(children, () => said.every((text) => text.includes("ready")));
    for (const child of children) child.stdin.write("go");
    await until(children, () => said.every((text) => /held|ours/.test(text)));
    expect(said.filter((text) => text.includes("ours"))).toHaveLength(1);
    for (const child of children) child.stdin.end();
    await Promise.all(children.map((child) => (child.exitCode === null ? once(child, "exit") : null)));
  }
});

/** Resolves when `done` after some output of the children. */
function until(children: { stdout: NodeJS.ReadableStream }[], done: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = () => done() && resolve();
    for (const child of children) child.stdout.on("data", look);
    look();
  });
}
