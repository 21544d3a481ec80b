// Cancelled anywhere, a run is over within 200 ms (SECURITY F 151). In the slow suite because it judges time.

import { expect, test } from "vitest";
import { median } from "../../src/bench/figure.js";
import { cancelIn, phases } from "../support/cancelled.js";

test.each(Object.entries(phases))("%s: over within 200 ms", async (name, phase) => {
  const times: number[] = [];
  for (let n = 0; n < 5; n++) times.push((await cancelIn(phase)).took);
  console.log(`${name}: ${times.map((ms) => ms.toFixed(0)).join(" ")} ms`);
  expect(median(times)).toBeLessThan(200);
});
