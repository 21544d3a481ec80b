// The fixed clock and ids: they move only when told to, and have the format of the real ones.

import { expect, test } from "vitest";
import { countedIds, fixedClock } from "./fixed.js";
import { systemIds } from "./system.js";

test("the clock moves by sleeping and advancing only", async () => {
  const clock = fixedClock(1000);
  expect([clock.now(), clock.mono()]).toEqual([1000, 0]);
  await clock.sleep(50);
  clock.advance(7);
  expect([clock.now(), clock.mono()]).toEqual([1057, 57]);
});

test("sleeping under an aborted signal rejects with its reason and moves nothing", async () => {
  const clock = fixedClock();
  const reason = new Error("enough");
  await expect(clock.sleep(50, AbortSignal.abort(reason))).rejects.toBe(reason);
  expect(clock.mono()).toBe(0);
});

test("ids count up in the format of real ids", () => {
  const ids = countedIds();
  const made = Array.from({ length: 40 }, () => ids.next());
  expect(made[0]).toBe("000000000001");
  expect(made[31]).toBe("000000000010");
  expect(new Set(made).size).toBe(40);
  const format = /^[0-9a-hjkmnp-tv-z]{12}$/;
  for (const id of [...made, systemIds.next()]) expect(id).toMatch(format);
});
