// What tasks cost: a list of thousands of them, and many commands in the background that print at the same time.
// Every byte of every log is compared with what its command printed. Memory is the whole process of the harness, looked at
// while they run, against a look before the first of them. The commands run without a sandbox: it is not what is measured.

import { performance } from "node:perf_hooks";
import type { CallPart, Message } from "../core/message.js";
import { noUsage } from "../core/message.js";
import type { TaskRecord } from "../core/task.js";
import { createHarness, type Model, type ModelRequest } from "../index.js";
import { nodeFs } from "../lib/fs.js";
import { TaskStore } from "../tasks/store.js";

export interface TaskCosts {
  /** Records in the list, and ms until it is there, each time by a harness that has seen none of them. */
  records: number;
  list: number[];
  /** Commands, and bytes of their logs that are missing or wrong. */
  commands: number;
  lost: number;
  /** MB that the process takes more while they run. */
  memory: number;
}

export interface TaskLoad {
  records: number;
  lists: number;
  commands: number;
  /** That each of them prints. */
  bytes: number;
}

export async function taskCosts(load: TaskLoad, folder: string): Promise<TaskCosts> {
  const { lost, memory } = await printing(load, `${folder}/shell`);
  const list = await listing(load, `${folder}/list`);
  return { records: load.records, list, commands: load.commands, lost, memory };
}

async function listing({ records, lists }: TaskLoad, folder: string): Promise<number[]> {
  const place = placeIn(folder);
  const store = new TaskStore({ disk: nodeFs, dir: `${place.home}/tasks`, damaged: () => {} });
  for (let n = 0; n < records; n++) await store.put(recordOf(n, store));
  const times: number[] = [];
  for (let n = 0; n < lists; n++) {
    const harness = createHarness(place);
    const began = performance.now();
    const { length } = await harness.tasks.list();
    times.push(performance.now() - began);
    await harness.close();
    if (length !== records) throw new Error(`the list has ${length} of ${records} tasks`);
  }
  return times;
}

/** As an agent leaves one behind. */
function recordOf(n: number, { here, dir }: TaskStore): TaskRecord {
  const time = Date.now() - n * 1_000;
  return {
    v: 1,
    id: n.toString().padStart(12, "0"),
    kind: "agent",
    state: "succeeded",
    owner: { ...here, session: "benchsession", call: `call_${n}` },
    parent: null,
    depth: 1,
    title: `look at part ${n} of the project`,
    agent: "explore",
    prompt: `Look at part ${n} of the project. `.repeat(15),
    cwd: dir,
    detach: false,
    labels: [],
    deadline: null,
    limits: {},
    dependsOn: [],
    created: time,
    started: time,
    ended: time,
    heartbeat: time,
    result: "What was found there. ".repeat(60),
    usage: { ...noUsage, input: 1_000, output: 200 },
    cost: null,
    told: true,
  };
}

async function printing({ commands, bytes }: TaskLoad, folder: string): Promise<{ lost: number; memory: number }> {
  const place = placeIn(folder);
  const watch = new Memory();
  const model = starter(
    { commands, bytes, begin: () => nodeFs.closeSync(nodeFs.openSync(`${place.cwd}/go`, "w")) },
    watch,
  );
  const settings = { permissions: { mode: "auto" }, sandbox: { mode: "off" }, tasks: { parallel: commands } } as const;
  const harness = createHarness({ ...place, model, settings: { ...settings, limits: { turns: commands * 3 } } });
  try {
    const session = await harness.open();
    await session.send("Start all of them.");
    const memory = watch.stop();
    const records = (await harness.tasks.list()).filter(({ title }) => title.startsWith("until"));
    const logs = records.map(({ id, title }) => wrongIn(`${place.home}/tasks/${id}.log`, title, bytes));
    const missing = (commands - records.length) * bytes;
    return { lost: logs.reduce((sum, wrong) => sum + wrong, missing), memory };
  } finally {
    watch.stop();
    await harness.close();
  }
}

/** Every command prints lines of its own. */
const command = (n: number, bytes: number) =>
  `until [ -e go ]; do sleep 0.5; done; yes 'line of ${n}' | head -c ${bytes}`;

function wrongIn(path: string, title: string, bytes: number): number {
  const line = /yes '(.*)'/.exec(title)?.[1] ?? "";
  const expected = Buffer.alloc(bytes, `${line}\n`);
  const found = nodeFs.readFileSync(path);
  let wrong = Math.abs(found.length - bytes);
  if (!found.equals(expected)) for (let at = 0; at < bytes; at++) if (found[at] !== expected[at]) wrong++;
  return wrong;
}

/** Fewer calls than one message may hold. */
const atOnce = 50;
const usage = { input: 100, output: 20, cacheRead: 0, cacheWrite: 0 };

/** A model that starts them all, lets them begin, and waits for each. */
function starter(load: { commands: number; bytes: number; begin(): void }, watch: Memory): Model {
  const start = (text: string) => ({ tool: "start_background_task", input: { kind: "shell", command: text } });
  let isWarm = false;
  let next = 0;
  let waited = 0;
  const calls = (request: ModelRequest): Pick<CallPart, "tool" | "input">[] => {
    if (!isWarm) {
      // What is loaded with the first command of a session is not what commands take.
      isWarm = true;
      return [start("echo warm")];
    }
    if (next < load.commands) {
      watch.start();
      const from = next;
      next = Math.min(load.commands, next + atOnce);
      return range(from, next).map((n) => start(command(n, load.bytes)));
    }
    load.begin();
    const ids = idsIn(request);
    const from = waited;
    waited = Math.min(ids.length, waited + atOnce);
    const wait = { tool: "wait_background_task", timeout: 600 };
    return ids
      .slice(from, waited)
      .map((id) => ({ tool: wait.tool, input: { task_id: id, timeout_seconds: wait.timeout } }));
  };
  return {
    id: "bench/starter",
    facts: { window: 10_000_000, maxOutput: 20_000 },
    async *stream(request) {
      const parts = calls(request).map(
        (call, n): CallPart => ({ type: "call", id: `c${next}w${waited}n${n}`, ...call }),
      );
      const message: Message =
        parts.length > 0
          ? { role: "assistant", parts, usage, stop: "tools" }
          : { role: "assistant", parts: [{ type: "text", text: "done" }], usage, stop: "end" };
      yield { type: "done", message, usage, stop: message.stop ?? "end" };
    },
  };
}

/** Tasks that results say were started. */
function idsIn({ messages }: ModelRequest): string[] {
  const text = JSON.stringify(messages.map(({ parts }) => parts));
  return [...text.matchAll(/Started in the background\. task_id (\w{12})[^"]*until/g)].map(([, id]) => id as string);
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, n) => from + n);
}

function placeIn(folder: string): { cwd: string; home: string } {
  const place = { cwd: `${folder}/project`, home: `${folder}/home` };
  nodeFs.mkdirSync(`${place.cwd}/.git`, { recursive: true });
  nodeFs.mkdirSync(place.home);
  return place;
}

/** The most that the process takes beyond what it took when it was started. MB. */
class Memory {
  #timer: NodeJS.Timeout | undefined;
  #before = 0;
  #most = 0;

  start(): void {
    if (this.#timer) return;
    this.#before = process.memoryUsage.rss();
    this.#timer = setInterval(() => this.#look(), 20);
  }

  stop(): number {
    clearInterval(this.#timer);
    this.#look();
    return (this.#most - this.#before) / 1024 / 1024;
  }

  #look(): void {
    this.#most = Math.max(this.#most, process.memoryUsage.rss());
  }
}
