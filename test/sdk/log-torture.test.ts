// A real log, cut at every byte of its last 8 KB and with flipped bits throughout. Whatever is left opens: every entry before
// the damage is there, the damage is named with its line, and the request of the resume is one that each provider takes.
// A sample of the bytes here, every byte with CINCH_SLOW=1; every state that the damage leads to is resumed in both.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createHarness, type Entry } from "../../src/index.js";
import { nodeFs } from "../../src/lib/fs.js";
import { systemClock, systemIds } from "../../src/lib/system.js";
import { readSession } from "../../src/session/index.js";
import { SessionLog } from "../../src/session/log.js";
import { tempDir } from "../support/run.js";
import { logFile } from "../support/session-log.js";
import { stage } from "../support/stage.js";
import { requestFaults } from "../support/wire/faults.js";
import { type Protocol, protocols } from "../support/wire/protocols.js";
import type { WireReply, WireServer } from "../support/wire/server.js";

const slow = process.env["CINCH_SLOW"] === "1";
const tail = 8 * 1024;
const timeout = slow ? 1_800_000 : 120_000;

const call = (id: string, name: string, input: object) => ({ id, name, input });
const long = "All work and no play makes a long line, again and again. ".repeat(20);

/** Reads, writes, commands that are asked about, parallel and refused calls, thinking, and a second run after a resume. */
const script: WireReply[] = [
  { text: "Let me see.", calls: [call("a1", "list_files", {}), call("a2", "read_file", { path: "none.txt" })] },
  { thinking: { text: "hm", signature: "s" }, calls: [call("b", "write_file", { path: "a.txt", content: long })] },
  {
    calls: [
      call("c1", "append_file", { path: "a.txt", content: "more\n" }),
      call("c2", "run_command", { command: "touch x" }),
    ],
  },
  { text: "First part done." },
  {
    calls: [call("d1", "edit_file", { path: "a.txt", old_string: "more", new_string: "less" }), call("d2", "nope", {})],
  },
  {
    calls: [
      call("e1", "run_command", { command: "touch y" }),
      call("e2", "append_file", { path: "b.txt", content: "b\n" }),
    ],
  },
  { text: long, calls: [call("f", "read_file", { path: "a.txt" })] },
  { text: "All done." },
];

interface Real {
  root: string;
  bytes: Buffer;
  name: string;
  project: string;
  /** Offset behind each line. */
  ends: number[];
  /** Of each line. */
  entries: Entry[];
}

let real: Real;

async function record(): Promise<Real> {
  const set = await stage(script);
  let asked = 0;
  const ask = async () => {
    asked++;
    return { decision: "allow" as const };
  };
  const options = { settings: { permissions: { mode: "acceptEdits" } }, ask } as const;
  const session = await set.open(options);
  await session.send("first");
  await session.close();
  const again = await set.open(options, true);
  expect(await again.send("second")).toMatchObject({ subtype: "success" });
  await again.close();
  const file = logFile(set.home);
  const bytes = readFileSync(file);
  const ends = [...bytes.keys()].filter((at) => bytes[at] === 10).map((at) => at + 1);
  const entries = [...readSession(file)].flatMap(({ entry }) => entry ?? []);
  expect(entries).toHaveLength(ends.length);
  expect(bytes.length).toBeGreaterThan(2 * tail);
  expect(new Set(entries.map(({ type }) => type))).toEqual(
    new Set(["header", "prompt", "model", "message", "approval", "intent", "outcome", "checkpoint", "state"]),
  );
  expect(asked).toBe(2);
  return { root: set.root, bytes, name: basename(file), project: basename(dirname(file)), ends, entries };
}

const isPath = ({ type }: Entry) => ["prompt", "model", "message", "compaction"].includes(type);

interface Opened {
  path: string[];
  damage: { line: number | null; kind: string }[];
  /** Two logs with the same key send the same request. */
  key: string;
}

/** Opens the bytes as the writer does, and says one thing more. */
async function opened(dir: string, bytes: Buffer): Promise<Opened> {
  for (const name of readdirSync(dir)) rmSync(join(dir, name));
  const file = join(dir, "copy.jsonl");
  writeFileSync(file, bytes);
  const ports = { spillDir: join(dir, "spill"), disk: nodeFs, clock: systemClock, ids: systemIds };
  const log = SessionLog.open({ ...ports, file });
  const path = log.path().map(({ id }) => id);
  const known = [...log.attached("intent"), ...log.attached("outcome")].map(({ id }) => id);
  const damage = log.repairs.map(({ line, kind }) => ({ line, kind }));
  await log.close();
  return { path, damage, key: [...path, "", ...known].join() };
}

/** Every path entry of the lines before `line` is there, in order, and nothing that was never said. */
function expectAllBefore(line: number, { path }: Opened, at: string): void {
  const before = real.entries
    .slice(0, line)
    .filter(isPath)
    .map(({ id }) => id);
  expect(path.slice(0, before.length), at).toEqual(before);
  const all = real.entries.filter(isPath).map(({ id }) => id);
  expect(all.slice(0, path.length), at).toEqual(path);
}

/** Resumes the bytes with a model of each of the protocols and gives what the provider would refuse. */
async function refusals(servers: Servers, bytes: Buffer, asked: readonly Protocol[]): Promise<string[]> {
  const found: string[] = [];
  for (const { name, id, env } of asked) {
    const server = servers.get(name);
    if (!server) throw new Error(`no server for ${name}`);
    const home = tempDir();
    mkdirSync(join(home, "sessions", real.project), { recursive: true });
    writeFileSync(join(home, "sessions", real.project, real.name), bytes);
    const settings = { permissions: { mode: "auto" } } as const;
    const harness = createHarness({ cwd: real.root, home, model: id, env: env(server), settings });
    try {
      const session = await harness.open({ resume: true });
      const result = await session.send("go on");
      if (result.subtype !== "success") found.push(`${name}: ${result.subtype}`);
    } finally {
      await harness.close();
    }
    found.push(...requestFaults(name, server.requests.at(-1)?.body ?? "{}").map((fault) => `${name}: ${fault}`));
  }
  return found;
}

type Servers = ReadonlyMap<string, WireServer>;

/** One of the logs for each state that the damage can lead to: with two protocols in turn, or with all of them. */
async function resumeAll(states: ReadonlyMap<string, Buffer>): Promise<void> {
  const servers = new Map<string, WireServer>();
  for (const { name, start } of protocols) servers.set(name, await start([]));
  try {
    for (const [i, [key, bytes]] of [...states].entries()) {
      const some = protocols.filter((_, at) => slow || at === i % 5 || at === (i + 2) % 5);
      expect(await refusals(servers, bytes, some), key).toEqual([]);
    }
  } finally {
    for (const server of servers.values()) await server.close();
  }
}

test("cut at every byte of its last 8 KB", { timeout }, async () => {
  real = await record();
  const dir = tempDir();
  const states = new Map<string, Buffer>();
  const { bytes, ends } = real;
  const step = slow ? 1 : 13;
  const near = new Set(ends.flatMap((end) => [end - 1, end, end + 1]));
  for (let cut = bytes.length - tail; cut <= bytes.length; cut++) {
    if (cut % step !== 0 && !near.has(cut)) continue;
    const left = bytes.subarray(0, cut);
    const lines = ends.filter((end) => end <= cut).length;
    const log = await opened(dir, left);
    expectAllBefore(lines, log, `cut at ${cut}`);
    expect(log.path, `cut at ${cut}`).toHaveLength(real.entries.slice(0, lines).filter(isPath).length);
    // A log that ends with a whole line is whole: what was cut off was never acknowledged, or cannot be told from that.
    const torn = ends.includes(cut) ? [] : [{ line: lines, kind: "torn" }];
    expect(log.damage, `cut at ${cut}`).toEqual(torn);
    if (!states.has(log.key)) states.set(log.key, left);
  }
  expect(states.size).toBeGreaterThan(10);
  await resumeAll(states);
});

test("a flipped bit anywhere", { timeout }, async () => {
  real = await record();
  const dir = tempDir();
  const states = new Map<string, Buffer>();
  const { bytes, ends } = real;
  const step = slow ? 1 : 89;
  const ending = new Set(ends.map((end) => end - 1));
  for (let at = 0; at < bytes.length; at++) {
    if (at % step !== 0 && !ending.has(at)) continue;
    const flipped = Buffer.from(bytes);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
    const line = ends.findIndex((end) => at < end);
    const log = await opened(dir, flipped);
    expectAllBefore(line, log, `bit ${at % 8} of byte ${at}`);
    expect(log.damage[0]?.line, `bit ${at % 8} of byte ${at}`).toBe(line);
    if (!states.has(log.key)) states.set(log.key, flipped);
  }
  expect(states.size).toBeGreaterThan(20);
  await resumeAll(states);
});
