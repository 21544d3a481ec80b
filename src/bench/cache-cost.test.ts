import { describe, expect, test } from "vitest";
import { blockReader, cacheCost } from "./cache-cost.js";

const mark = { cache_control: { type: "ephemeral" } };
/** A text block of exactly `tokens` tokens by the bench's count. */
const block = (name: string, tokens: number, marked = false) => {
  const empty = JSON.stringify({ type: "text", text: name }).length;
  return { type: "text", text: name + "x".repeat(tokens * 4 - empty), ...(marked ? mark : {}) };
};
const body = (...content: object[]) => JSON.stringify({ messages: [{ role: "user", content }] });
const cost = (...bodies: string[]) => cacheCost(bodies.map(blockReader()));

describe("explicit caching", () => {
  test("a marked prefix is written once and read afterwards", () => {
    const first = body(block("a", 100, true));
    const second = body(block("a", 100), block("b", 40, true));
    expect(cost(first).explicit).toBeCloseTo(125);
    expect(cost(first, second).explicit).toBeCloseTo(125 + 10 + 50);
  });

  test("what follows the last mark costs its full price, every time", () => {
    const request = body(block("a", 100, true), block("b", 40));
    expect(cost(request, request).explicit).toBeCloseTo(125 + 40 + 10 + 40);
  });

  test("a prefix that ended at no mark is not in the cache", () => {
    expect(cost(body(block("a", 100)), body(block("a", 100, true))).explicit).toBeCloseTo(100 + 125);
  });

  test("the look-back is twenty blocks with the marked one as the first", () => {
    const start = block("start", 100, true);
    const steps = (count: number) =>
      Array.from({ length: count }, (_, index) => block(`step ${index}`, 10, index === count - 1));
    expect(cost(body(start), body(block("start", 100), ...steps(19))).explicit).toBeCloseTo(125 + 10 + 19 * 12.5);
    expect(cost(body(start), body(block("start", 100), ...steps(20))).explicit).toBeCloseTo(125 + 125 + 20 * 12.5);
  });

  test("a change inside the prefix makes everything after it new", () => {
    const changed = body(block("z", 100), block("b", 40, true));
    expect(cost(body(block("a", 100), block("b", 40, true)), changed).explicit).toBeCloseTo(2 * 175);
  });
});

describe("automatic caching", () => {
  test("whole blocks shared with the request before are read, the rest is new", () => {
    const first = body(block("a", 100), block("b", 40));
    expect(cost(first).automatic).toBeCloseTo(140);
    expect(cost(first, body(block("a", 100), block("c", 40))).automatic).toBeCloseTo(140 + 10 + 40);
  });
});

describe("prefix breaks", () => {
  test("growing is none, moving a mark is none", () => {
    expect(cost(body(block("a", 9, true)), body(block("a", 9), block("b", 9, true))).breaks).toBe(0);
  });

  test("a changed, moved or missing block is one", () => {
    const request = (...names: string[]) => body(...names.map((name) => block(name, 9)));
    expect(cost(request("a", "b"), request("a", "c")).breaks).toBe(1);
    expect(cost(request("a", "b"), request("b", "a")).breaks).toBe(1);
    expect(cost(request("a", "b"), request("a")).breaks).toBe(1);
  });

  test("the same block as a tool, as system text and in another role is not the same", () => {
    const bodies = [{ tools: [{}] }, { system: [{}] }, { messages: [{ role: "user", content: [{}] }] }];
    expect(cost(...bodies.map((each) => JSON.stringify(each))).breaks).toBe(2);
  });
});
