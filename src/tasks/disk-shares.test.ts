// What commands may print, by what those before them have left.

import { expect, test } from "vitest";
import type { TaskRecord } from "../core/task.js";
import { DiskShares } from "./disk-shares.js";

const task = (id: string, bytes?: number, { session = "s", dropped = 0 } = {}) =>
  ({ id, owner: { session }, ...(bytes === undefined ? {} : { output: { path: id, bytes, dropped } }) }) as TaskRecord;

test.each<[string, TaskRecord[], number]>([
  ["nothing was printed", [], 100],
  ["there is room for a whole share", [task("a", 100), task("b", 200)], 100],
  ["only so much of the session's is left", [task("a", 100), task("b", 250)], 50],
  ["nothing is left", [task("a", 500)], 0],
  ["what was cut off a log takes no room", [task("a", 500, { dropped: 400 })], 100],
  ["another session has its own", [task("a", 500, { session: "t" })], 100],
  ["it printed this itself, before it was taken over", [task("x", 500)], 100],
])("%s", (_, before, share) => {
  const shares = new DiskShares(100);
  for (const each of before) shares.ended(each);
  expect(shares.of(task("x"))).toBe(share);
});

test("a share that was given stays what it is while others end", () => {
  const shares = new DiskShares(100);
  expect(shares.of(task("x"))).toBe(100);
  shares.ended(task("a", 390));
  expect([shares.of(task("x")), shares.of(task("y"))]).toEqual([100, 10]);
});
