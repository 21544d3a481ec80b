// Real processes: two on one session, one killed at any instant, and a session of 100,000 entries.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { build } from "esbuild";
import { beforeEach, expect, test } from "vitest";
import { sessions, texts, user } from "../../test/support/session-log.js";

let { base, dir, ports, create, open } = sessions();

beforeEach(() => {
  ({ base, dir, ports, create, open } = sessions());
});

/** A node process that opens the session `file` and runs `body` with it as `log`. */
async function script(file: string, body: string): Promise<string> {
  const path = join(base, `child-${readdirSync(base).length}.mjs`);
  const contents = `
    import { SessionLog } from "./log.js"; import { nodeFs } from "../lib/fs.js";
    import { systemClock, systemIds } from "../lib/system.js"; import { writeSync } from "node:fs";
    const ports = { disk: nodeFs, clock: systemClock, ids: systemIds, spillDir: ${JSON.stringify(ports.spillDir)} };
    const say = (text) => writeSync(1, text + "\\n");
    const user = (text) => ({ role: "user", parts: [{ type: "text", text }] });
    try {
      const log = SessionLog.open({ ...ports, file: ${JSON.stringify(file)} });
      ${body}
    } catch (error) { say("no: " + error.message); process.exit(error.exit ?? 99); }`;
  const stdin = { contents, resolveDir: import.meta.dirname, loader: "ts" as const };
  await build({ stdin, bundle: true, platform: "node", format: "esm", outfile: path });
  return path;
}

function start(path: string): {
  child: ChildProcessWithoutNullStreams;
  said: () => string[];
  until(n: number): Promise<void>;
} {
  const child = spawn(process.execPath, [path]);
  let text = "";
  const said = () => text.split("\n").slice(0, -1);
  let look = () => {};
  child.stdout.on("data", (data) => {
    text += data;
    look();
  });
  const until = (n: number) =>
    new Promise<void>((resolve) => {
      look = () => said().length >= n && resolve();
      look();
    });
  return { child, said, until };
}

test("E 116: of two processes on one session the second is refused, and nothing is mixed", async () => {
  const log = create();
  log.append("message", user("mine"));
  const second = start(await script(log.file, 'log.append("message", user("theirs"));'));
  const [exit] = await once(second.child, "close");
  expect(exit).toBe(1);
  expect(second.said()[0]).toMatch(new RegExp(`^no: session .{8} is in use by process ${process.pid} on `));
  log.append("message", user("still mine"));
  await log.close();
  const again = open(log.file);
  expect([texts(again), again.repairs]).toEqual([["mine", "still mine"], []]);
  await again.close();
});

test("E 117: a session left behind by a killed process is free again", async () => {
  const log = create();
  await log.close();
  const holder = start(await script(log.file, 'say("open"); setInterval(() => {}, 1000);'));
  await holder.until(1);
  expect(() => open(log.file)).toThrow(`process ${holder.child.pid}`);
  holder.child.kill("SIGKILL");
  await once(holder.child, "close");
  const again = open(log.file);
  expect(again.repairs).toEqual([]);
  await again.close();
});

test("E 109: kill -9 at any instant loses nothing that was acknowledged", async () => {
  const log = create();
  await log.close();
  // Lines of very different length, spilled ones among them; each is acknowledged once it is written.
  const body = `
    let n = log.path().length;
    const go = () => {
      for (let i = 0; i < 20; i++, n++) {
        log.append("message", user(n + ":" + "x".repeat([10, 500, 60_000, 3_000, 70_000][n % 5])));
        say(String(n));
      }
      setImmediate(go);
    };
    go();`;
  const path = await script(log.file, body);
  let acknowledged = 0;
  for (let round = 0; round < 20; round++) {
    const writer = start(path);
    // The instant follows from the round, not from the clock: after this many acknowledgements, plus whatever the
    // process gets done until the signal arrives.
    await writer.until(1 + round * 7);
    writer.child.kill("SIGKILL");
    await once(writer.child, "close");
    expect(writer.said().every((line) => /^\d+$/.test(line))).toBe(true);
    acknowledged = Number(writer.said().at(-1)) + 1;
    const again = open(log.file);
    const kept = texts(again);
    expect(kept.length).toBeGreaterThanOrEqual(acknowledged);
    for (const [i, text] of kept.entries()) expect(text.slice(0, text.indexOf(":"))).toBe(String(i));
    expect(again.repairs.filter((repair) => repair.kind !== "torn")).toEqual([]);
    await again.close();
  }
  expect(acknowledged).toBeGreaterThan(20);
  expect(existsSync(join(dir, `${log.id}.lock`))).toBe(false);
}, 60_000);

test("E 125: 100,000 entries open without their payloads in memory", async () => {
  const log = create();
  const first = log.append("message", user("first"));
  const note = { code: "x", text: "y".repeat(1000) };
  for (let i = 0; i < 100; i++) {
    log.appendAll(Array.from({ length: 1000 }, () => ({ type: "note" as const, data: note })));
  }
  const last = log.append("message", user("last"));
  await log.close();
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  const before = process.memoryUsage().heapUsed;
  const again = open(log.file);
  collect();
  const held = process.memoryUsage().heapUsed - before;
  expect(again.tree.nodes).toHaveLength(100_003);
  expect(again.path()).toEqual([first, last]);
  // The file has 115 MB; the index of ids and places has to do with a quarter of that.
  expect(held).toBeLessThan(30e6);
  await again.close();
}, 60_000);
