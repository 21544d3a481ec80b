// A run that never ends: turns with a command that prints 1 MB each, over a window that is compacted again and again
// (ANCHORS §5.22). Measured are what a turn leaves in memory, what a step costs, and how long the event loop is held up.
// Not counted is what the measuring itself costs: the collections of garbage, and the long outputs on disk, which are
// deleted on the way.

import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { CallPart, Message } from "../core/message.js";
import { createHarness, type Model, type ModelRequest } from "../index.js";
import { nodeFs } from "../lib/fs.js";
import { median } from "./figure.js";

export interface Forever {
  turns: number;
  compactions: number;
  /** How the run ended. */
  subtype: string;
  /** KB of heap that a turn leaves, over the second half: what is there after a collection, by least squares. */
  growth: number;
  /** Bytes, after each collection. */
  heap: number[];
  /** Bytes, at the first and the last collection. */
  rss: [first: number, last: number];
  /** Medians over the first and the last fifth of the steps, in ms. */
  cpu: [first: number, last: number];
  wall: [first: number, last: number];
  /** How late the event loop was, in ms, beyond the resolution of the measurement. */
  lag: { p50: number; p99: number };
}

export interface ForeverOptions {
  turns: number;
  /** An empty directory. */
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  /** The call of a turn. Default: a command that prints 1 MB and changes a file. */
  call?: (turn: number) => Pick<CallPart, "tool" | "input">;
}

const usage = { input: 100, output: 20, cacheRead: 0, cacheWrite: 0 };
const resolution = 5;
const printing = (turn: number) => ({
  tool: "run_command",
  input: { command: `head -c 1000000 /dev/zero | tr '\\0' x; echo ${turn} > n` },
});

export async function forever({ turns, folder, env, call = printing }: ForeverOptions): Promise<Forever> {
  const [cwd, home] = [`${folder}/project`, `${folder}/home`];
  nodeFs.mkdirSync(`${cwd}/.git`, { recursive: true });
  const watch = new Watch(turns, () => nodeFs.rmSync(`${home}/spill`, { recursive: true, force: true }));
  const settings = {
    permissions: { mode: "auto" },
    limits: { turns: turns * 2 },
    compaction: { at: 0.8, keep: 2_000 },
  } as const;
  const harness = createHarness({ cwd, home, model: endless(turns, call, () => watch.step()), settings, env });
  try {
    const session = await harness.open();
    watch.lag.enable();
    const { subtype } = await session.send("Go on for ever.");
    watch.lag.disable();
    let compactions = 0;
    for (const { type } of session.entries()) if (type === "compaction") compactions++;
    return { turns, compactions, subtype, ...watch.result() };
  } finally {
    await harness.close();
  }
}

function endless(turns: number, call: NonNullable<ForeverOptions["call"]>, step: () => void): Model {
  let asked = 0;
  const said = (text: string): Message => ({ role: "assistant", parts: [{ type: "text", text }], usage, stop: "end" });
  const answer = (request: ModelRequest): Message => {
    const last = request.messages.at(-1)?.parts.at(-1);
    if (last?.type === "text" && last.text.includes("is compacted now")) return said("All is well so far.");
    step();
    if (asked++ >= turns) return said("done");
    const parts: CallPart[] = [{ type: "call", id: `c${asked}`, ...call(asked) }];
    return { role: "assistant", parts, usage, stop: "tools" };
  };
  return {
    id: "bench/forever",
    facts: { window: 60_000, maxOutput: 2_000 },
    async *stream(request) {
      const message = answer(request);
      yield { type: "done", message, usage, stop: message.stop ?? "end" };
    },
  };
}

/** Looks at time with every request, and at memory now and then. */
class Watch {
  readonly lag = monitorEventLoopDelay({ resolution });
  readonly #every: number;
  readonly #clean: () => void;
  readonly #collect: () => void;
  readonly #memory: { heap: number; rss: number }[] = [];
  readonly #wall: number[] = [];
  readonly #cpu: number[] = [];
  #before = performance.now();
  #spent = process.cpuUsage();

  constructor(turns: number, clean: () => void) {
    this.#every = Math.max(5, Math.floor(turns / 50));
    this.#clean = clean;
    setFlagsFromString("--expose-gc");
    this.#collect = runInNewContext("gc") as () => void;
  }

  step(): void {
    const { user, system } = process.cpuUsage(this.#spent);
    this.#wall.push(performance.now() - this.#before);
    this.#cpu.push((user + system) / 1000);
    if (this.#wall.length % this.#every === 1) this.#look();
    this.#before = performance.now();
    this.#spent = process.cpuUsage();
  }

  #look(): void {
    this.lag.disable();
    this.#collect();
    const { heapUsed: heap, rss } = process.memoryUsage();
    this.#memory.push({ heap, rss });
    this.#clean();
    this.lag.enable();
  }

  result(): Pick<Forever, "growth" | "heap" | "rss" | "cpu" | "wall" | "lag"> {
    const heap = this.#memory.map((sample) => sample.heap);
    const late = (percentile: number) => Math.max(0, this.lag.percentile(percentile) / 1e6 - resolution);
    return {
      growth: slopeOf(heap.slice(Math.floor(heap.length / 2))) / this.#every / 1024,
      heap,
      rss: [this.#memory[0]?.rss ?? 0, this.#memory.at(-1)?.rss ?? 0],
      cpu: ends(this.#cpu),
      wall: ends(this.#wall),
      lag: { p50: late(50), p99: late(99) },
    };
  }
}

/** Without the first step, in which everything is loaded. */
function ends(values: readonly number[]): [number, number] {
  const fifth = Math.ceil(values.length / 5);
  return [median(values.slice(1, fifth + 1)) ?? 0, median(values.slice(-fifth)) ?? 0];
}

/** Least squares, per sample. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let [up, down] = [0, 0];
  for (const [at, value] of values.entries()) {
    up += (at - middle) * (value - mean);
    down += (at - middle) ** 2;
  }
  return down === 0 ? 0 : up / down;
}
