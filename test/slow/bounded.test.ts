// A run for ever, at full length: 5,000 turns with outputs of 1 MB (src/bench/forever.ts). All of it is printed for
// docs/performance.md; asserted are the growth of the memory and of the CPU that a step costs, which a busy machine does
// not change much. CINCH_TURNS sets another number.

import { expect, test } from "vitest";
import { forever } from "../../src/bench/forever.js";
import { tempDir } from "../support/run.js";

const turns = Number(process.env["CINCH_TURNS"] ?? 5_000);
const mega = (bytes: number) => (bytes / 1024 / 1024).toFixed(0);

test("no output stays in memory, and a step does not come to cost more", async () => {
  const made = await forever({ turns, folder: tempDir(), env: { PATH: process.env["PATH"] } });
  const { growth, heap, rss, cpu, wall, lag } = made;
  const [first, last] = cpu;
  console.log(
    [
      `${turns} turns, ${made.compactions} compactions`,
      `heap after collection: ${heap.map(mega).join(" ")} MB`,
      `resident: first ${mega(rss[0])} MB, last ${mega(rss[1])} MB`,
      `growth of the heap over the second half: ${growth.toFixed(2)} KB a turn`,
      `CPU of a step, median: first fifth ${first.toFixed(1)} ms, last fifth ${last.toFixed(1)} ms, ratio ${(last / first).toFixed(2)}`,
      `time of a step, median: first fifth ${wall[0].toFixed(1)} ms, last fifth ${wall[1].toFixed(1)} ms`,
      `event loop, beyond its resolution: p50 ${lag.p50.toFixed(1)} ms, p99 ${lag.p99.toFixed(1)} ms`,
    ].join("\n"),
  );
  expect(made.subtype).toBe("success");
  // The light index of the log and the names of what was kept for undo, and nothing of what was said (32 KB a turn).
  expect(growth).toBeLessThan(4);
  expect(last / first).toBeLessThan(1.5);
}, 7_200_000);
