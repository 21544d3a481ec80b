// Prints what streaming costs in the terminal; docs/performance.md has the figures.

import { expect, test } from "vitest";
import { streamed } from "../support/streaming.js";

test("CPU and key echo while an answer streams", async () => {
  for (let n = 0; n < 5; n++) {
    const { written, cpu, echoes, cleared } = await streamed(n > 0);
    const at = (share: number) => (echoes[Math.floor(echoes.length * share)] ?? 0).toFixed(1);
    console.log(
      `${(Buffer.byteLength(written) / 1000).toFixed(1)} KB, ${cpu.toFixed(2)} s CPU, ${echoes.length} keys, echo p50 ${at(0.5)} p99 ${at(0.99)} ms`,
    );
    expect(cleared).toBe(0);
  }
});
