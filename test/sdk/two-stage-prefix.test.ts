// `files.twoStage` and the conversation: what the request for a text costs, that it counts for the budgets, and that the
// prefix of every other request stays whole, also over a resume.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lines } from "../support/lines.js";
import { type Body, blocks, type Stage, stage } from "../support/stage.js";
import { append, asks, body, expectPrefix, ok, on, run, write } from "../support/two-stage.js";
import type { WireReply } from "../support/wire/server.js";

describe("what it costs", () => {
  const script: WireReply[] = [
    write("a.js"),
    body(lines(1, 3), { usage: { input: 7, output: 30, read: 100, write: 4 } }),
    append("a.js"),
    body(lines(4, 5), { usage: { input: 8, output: 20, read: 200, write: 5 } }),
    write("b.js", "w2"),
    body("f();\n"),
    ok,
  ];

  it("is counted, and in the log", async () => {
    const { result, events } = await run(script);
    expect(result.num_turns).toBe(7);
    expect(result.usage).toEqual({
      input_tokens: 5 * 10 + 7 + 8,
      output_tokens: 5 * 5 + 30 + 20,
      cache_read_input_tokens: 300,
      cache_creation_input_tokens: 9,
    });
    const turns = events.filter((event) => event.type === "turn.end");
    expect(turns.map((event) => event.turn)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    const spent = turns.reduce((sum, event) => sum + (event.cost ?? 0), 0);
    expect(result.total_cost_usd).toBeCloseTo(spent, 10);
  });

  it("counts against the budget before it is asked for", async () => {
    const settings = { ...on, limits: { turns: 1 } };
    const { bodies, result, root } = await run(script, { settings });
    expect(bodies()).toHaveLength(1);
    expect(result.subtype).toBe("error_max_turns");
    expect(existsSync(join(root, "a.js"))).toBe(false);
  });

  it("is streamed line by line inside its call", async () => {
    const { events } = await run([write("a.js"), body("one\ntwo\n", { chunk: 3 }), ok]);
    const mine = events.filter((event) => "call" in event && event.call === "w");
    expect(mine.map(({ type }) => type)).toEqual(["call.start", "call.progress", "call.progress", "call.end"]);
    expect(mine.flatMap((event) => (event.type === "call.progress" ? [event.line] : []))).toEqual(["one", "two"]);
    expect(events.some((event) => event.type === "text.delta" && event.text.includes("one"))).toBe(false);
  });

  it("leaves the conversation's prefix whole, to the byte", async () => {
    const { bodies, events } = await run(script);
    const requests = bodies();
    const head = ({ tools, system }: Body) => JSON.stringify([tools, system]);
    expect(new Set(requests.map(head)).size).toBe(1);
    const own = requests.filter((request) => !asks(request));
    expect(own).toHaveLength(4);
    for (const [i, request] of own.slice(1).entries()) expectPrefix(own[i] as Body, request);
    for (const [i, request] of requests.entries()) {
      if (!asks(request)) continue;
      // All but the placeholder result, the question and the opening of the answer is in the request before and in the one after.
      const shared = blocks(request).slice(0, -3);
      expect(blocks(request).at(-1)).toContain("assistant ");
      const before = requests.slice(0, i).findLast((each) => !asks(each)) as Body;
      const after = requests.slice(i).find((each) => !asks(each)) as Body;
      expect(shared.slice(0, blocks(before).length)).toEqual(blocks(before));
      expect(blocks(after).slice(0, shared.length)).toEqual(shared);
    }
    expect(events.some((event) => event.type === "cache.break")).toBe(false);
  });

  it("marks for the cache only what the next request will have as well", async () => {
    const { bodies } = await run(script);
    for (const request of bodies().filter(asks)) {
      const marked = request.messages.flatMap(({ content }) => content.map(({ cache_control }) => !!cache_control));
      expect(marked.slice(-3)).toEqual([false, false, false]);
      expect(marked.at(-4)).toBe(true);
      expect(marked.filter(Boolean).length).toBeLessThanOrEqual(3);
    }
  });
});

it("goes on after a resume with the same prefix", async () => {
  const at: Stage = await stage([write("a.js"), body("f();\n"), ok, append("a.js"), body("g();\n"), ok]);
  const first = await at.open({ settings: on });
  await first.send("go");
  await first.close();
  const second = await at.open({ settings: on }, first.id);
  await second.send("more");
  expect(readFileSync(join(at.root, "a.js"), "utf8")).toBe("f();\ng();\n");
  const own = at.bodies().filter((request) => !asks(request));
  expectPrefix(own[1] as Body, own[2] as Body);
  expect(at.events.some((event) => event.type === "cache.break")).toBe(false);
});
