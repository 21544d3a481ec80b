// What streaming writes, in counts; `cinch bench` has what it costs in time.

import { expect, test } from "vitest";
import { streamed } from "../support/streaming.js";

test("600 pieces below 40 finished messages: nothing is cleared, every row once, at most 100 KB are written", async () => {
  const { written, cleared, rows } = await streamed();
  expect(cleared).toBe(0);
  expect(rows).toEqual(Array.from({ length: 100 }, (_, at) => at + 1));
  expect(written.length).toBeGreaterThan(1_000);
  expect(Buffer.byteLength(written)).toBeLessThanOrEqual(100_000);
});
