// A run that never ends: thousands of turns, each with a command that prints 1 MB, over a window that is compacted again and
// again (ANCHORS §5.22). Memory, CPU and time of a step and event-loop lag are printed for docs/performance.md; asserted are
// the growth of the memory and of the CPU that a step costs, which a busy machine does not change much. The memory is known to
// grow by what the model reads of each result; the bound is that it is no more. CINCH_TURNS sets another number.

import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test } from "vitest";
import type { Message } from "../../src/core/message.js";
import type { Model, ModelEvent, ModelRequest } from "../../src/core/model.js";
import { createHarness } from "../../src/index.js";
import { tempDir } from "../support/run.js";

const turns = Number(process.env["CINCH_TURNS"] ?? 5_000);
/** Turns between two looks at the memory. */
const every = Math.max(5, Math.floor(turns / 50));
const usage = { input: 100, output: 20, cacheRead: 0, cacheWrite: 0 };

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

interface Sample {
  heap: number;
  rss: number;
}

test("no output stays in memory, and a step does not come to cost more", async () => {
  const base = tempDir();
  const [cwd, home] = [join(base, "project"), join(base, "home")];
  mkdirSync(join(cwd, ".git"), { recursive: true });
  const steps: number[] = [];
  const costs: number[] = [];
  const samples: Sample[] = [];
  let asked = 0;
  let before = performance.now();
  let spent = process.cpuUsage();
  const done = (message: Message): ModelEvent => ({ type: "done", message, usage, stop: message.stop ?? "end" });
  const model: Model = {
    id: "test/endless",
    facts: { window: 60_000, maxOutput: 2_000 },
    async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
      const said = request.messages.at(-1)?.parts.at(-1);
      if (said?.type === "text" && said.text.includes("is compacted now")) {
        const text = "All is well so far.";
        return yield done({ role: "assistant", parts: [{ type: "text", text }], usage, stop: "end" });
      }
      steps.push(performance.now() - before);
      const { user, system } = process.cpuUsage(spent);
      costs.push((user + system) / 1000);
      if (asked % every === 0) {
        collect();
        const { heapUsed: heap, rss } = process.memoryUsage();
        samples.push({ heap, rss });
        // What long outputs leave on disk is not what is measured here.
        if (existsSync(join(home, "spill"))) rmSync(join(home, "spill"), { recursive: true });
      }
      before = performance.now();
      spent = process.cpuUsage();
      if (asked++ >= turns)
        return yield done({ role: "assistant", parts: [{ type: "text", text: "done" }], usage, stop: "end" });
      const input = { command: `head -c 1000000 /dev/zero | tr '\\0' x; echo ${asked} > n` };
      const call = { type: "call", id: `c${asked}`, tool: "run_command", input } as const;
      yield done({ role: "assistant", parts: [call], usage, stop: "tools" });
    },
  };
  const settings = {
    permissions: { mode: "auto" },
    limits: { turns: turns * 2 },
    compaction: { at: 0.8, keep: 2_000 },
  } as const;
  const harness = createHarness({ cwd, home, model, settings, env: { PATH: process.env["PATH"] } });
  onTestFinished(() => harness.close());
  const session = await harness.open();
  const lag = monitorEventLoopDelay({ resolution: 5 });
  lag.enable();
  const result = await session.send("Go on for ever.");
  lag.disable();
  expect(result).toMatchObject({ subtype: "success", result: "done" });

  const fifth = Math.floor(turns / 5);
  const ends = (values: readonly number[]) => [median(values.slice(10, fifth)), median(values.slice(-fifth))] as const;
  const [first, last] = ends(costs);
  const [firstWall, lastWall] = ends(steps);
  const half = samples.slice(Math.floor(samples.length / 2));
  const slope = slopeOf(half.map(({ heap }) => heap)) / every;
  const compactions = [...session.entries()].filter(({ type }) => type === "compaction").length;
  console.log(
    [
      `${turns} turns, ${compactions} compactions`,
      `heap after collection: ${samples.map(({ heap }) => mega(heap)).join(" ")} MB`,
      `resident: first ${mega(samples[1]?.rss)} MB, last ${mega(samples.at(-1)?.rss)} MB`,
      `growth of the heap over the second half: ${(slope / 1024).toFixed(2)} KB a turn`,
      `CPU of a step, median: first fifth ${first.toFixed(1)} ms, last fifth ${last.toFixed(1)} ms, ratio ${(last / first).toFixed(2)}`,
      `time of a step, median: first fifth ${firstWall.toFixed(1)} ms, last fifth ${lastWall.toFixed(1)} ms`,
      `event loop, beyond its resolution: p50 ${(lag.percentile(50) / 1e6 - 5).toFixed(1)} ms, p99 ${(lag.percentile(99) / 1e6 - 5).toFixed(1)} ms`,
    ].join("\n"),
  );
  // Far below an output, above what the model reads of one (16 KB) and what belongs to it.
  expect(slope).toBeLessThan(64 * 1024);
  expect(last / first).toBeLessThan(1.5);
}, 3_600_000);

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** Least squares, per sample. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const [up, down] = values.reduce(
    ([a, b], value, at) => [a + (at - middle) * (value - mean), b + (at - middle) ** 2] as [number, number],
    [0, 0] as [number, number],
  );
  return up / down;
}

function mega(bytes = 0): string {
  return (bytes / 1024 / 1024).toFixed(0);
}
