import { expect, it } from "vitest";
import { nearing, reachedAtEnd, reachedByCall, reachedByTurn, type Spent } from "./budget.js";

const nothing: Spent = { turns: 0, calls: 0, tokens: 0, cost: 0, time: 0, output: 0 };

it("names the first limit that is reached before a turn", () => {
  expect(reachedByTurn({ ...nothing, turns: 3, tokens: 9 }, { turns: 3, tokens: 9 })).toEqual({
    what: "turns",
    used: 3,
    limit: 3,
  });
  expect(reachedByTurn({ ...nothing, turns: 2 }, { turns: 3 })).toBeNull();
});

it("lets an answer through when only the calls are used up", () => {
  expect(reachedByTurn({ ...nothing, calls: 5 }, { calls: 5 })).toBeNull();
  expect(reachedByCall({ ...nothing, calls: 5 }, { calls: 5 })).toEqual({ what: "calls", used: 5, limit: 5 });
});

it("never reaches a money limit with an unknown price", () => {
  expect(reachedByTurn({ ...nothing, cost: null }, { cost: 0 })).toBeNull();
});

it("warns from 80 %", () => {
  expect(nearing({ ...nothing, turns: 7, time: 8 }, { turns: 10, time: 10 })).toEqual([
    { what: "time", used: 8, limit: 10 },
  ]);
});

it("counts what the last reply cost, but not turns and calls that were all used", () => {
  expect(reachedAtEnd({ ...nothing, turns: 3, calls: 3 }, { turns: 3, calls: 3 })).toBeNull();
  expect(reachedAtEnd({ ...nothing, cost: 0.6 }, { cost: 0.5 })).toEqual({ what: "cost", used: 0.6, limit: 0.5 });
  expect(reachedAtEnd({ ...nothing, tokens: 10 }, { tokens: 10 })).toEqual({ what: "tokens", used: 10, limit: 10 });
});
