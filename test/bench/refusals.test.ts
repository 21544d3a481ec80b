// The figure about refusals: which kinds are played, and that none takes more than one look around.
// Whether the mean reaches its target is for the benchmark to say.
import { expect, test } from "vitest";
import { refusalCosts } from "../../src/bench/refusals.js";
import { tempDir } from "../support/run.js";

test("every kind of refusal is played to its end, with one extra turn at most", async () => {
  const costs = await refusalCosts(tempDir());
  const kinds = ["exists", "unread", "stale", "missing", "ambiguous", "near-miss"];
  expect(costs.map(({ kind }) => kind)).toEqual(kinds);
  for (const { kind, extra } of costs) expect(extra, kind).toBe(1);
});
