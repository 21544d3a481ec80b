// The corpus of loops and of legitimate repetition, through the real loop: all of the one ended, none of the other.

import { expect, test } from "vitest";
import { loopTrials, shapes } from "../../src/bench/loops/index.js";
import { tempDir } from "../support/run.js";

test("every looping shape is ended, no legitimate one is, and a trivial loop costs at most 8 requests", async () => {
  expect(shapes.looping.length).toBeGreaterThanOrEqual(15);
  expect(shapes.legitimate.length).toBeGreaterThanOrEqual(20);
  const trials = await loopTrials(tempDir());
  const wrong = trials.filter(({ looping, stopped }) => looping !== stopped);
  expect(wrong).toEqual([]);
  const trivial = trials.filter(({ name, looping }) => looping && name.startsWith("same-"));
  expect(trivial.length).toBeGreaterThan(4);
  for (const { name, calls } of trivial) expect([name, calls <= 8]).toEqual([name, true]);
  for (const { name, nudges, looping } of trials) if (looping) expect([name, nudges]).toEqual([name, 3]);
}, 60_000);
