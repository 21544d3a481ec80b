// Answers that arrive whole and are wrong all the same (SECURITY F 141-150): calls that are none, ends that say something
// else, figures nobody may believe, keys that come back.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { of } from "../support/events.js";
import { play, write } from "../support/provider.js";
import { resultText, stage } from "../support/stage.js";
import { anthropicEvents, type WireReply } from "../support/wire/anthropic.js";

describe("calls that are none", () => {
  const huge = `{"path": "a.txt", "content": "${"x".repeat(10_000_000)}`;

  test.each([
    ["malformed", '{"path": "a.txt", "content": x}', "are not one complete JSON object"],
    ["cut", '{"path": "a.txt", "content": "on', "are not one complete JSON object"],
    ["a list", '["a.txt"]', "are not one complete JSON object"],
    ["a member twice", '{"path": "b.txt", "content": "x", "path": "a.txt"}', "name a member twice"],
    [
      "a member twice, spelled differently",
      '{"path": "b.txt", "content": "x", "p\\u0061th": "a.txt"}',
      "name a member twice",
    ],
    ["wrong types", '{"path": 7, "content": ["x"]}', "does not fit"],
    ["a member too few", '{"content": "x"}', "does not fit"],
    ["10 MB and no end", huge, "are not one complete JSON object"],
  ])("F 141: arguments %s are an error for the model, and nothing is done", async (_, raw, said) => {
    const { root, result, bodies } = await play([
      { calls: [{ id: "c", name: "write_file", raw }], chunk: 1_000_000 },
      { text: "hi" },
    ]);
    expect(result).toMatchObject({ subtype: "success", files: [] });
    expect(resultText(bodies()[1], "c")).toContain(said);
    expect(resultText(bodies()[1], "c").length).toBeLessThan(600);
    expect(existsSync(join(root, "a.txt")) || existsSync(join(root, "b.txt"))).toBe(false);
  });

  test("F 142: a tool that is unknown, forbidden here, nameless or misspelled is an error result, the good one runs", async () => {
    const names = ["fly", " write_file", "write file", "run_command"];
    const calls = names.map((name, at) => ({
      id: `c${at}`,
      name,
      input: { path: "a.txt", content: "x", command: "touch b" },
    }));
    const good = { id: "good", name: "write_file", input: { path: "good.txt", content: "x\n" } };
    const settings = { permissions: { mode: "auto" }, tools: { profile: "full" } } as const;
    const { root, result, bodies } = await play([{ calls: [...calls.slice(0, 3), good] }, { text: "hi" }], {
      settings,
    });
    expect(result.subtype).toBe("success");
    for (const [at, name] of names.slice(0, 3).entries()) {
      expect(resultText(bodies()[1], `c${at}`)).toContain(`There is no tool ${JSON.stringify(name)}`);
    }
    expect(existsSync(join(root, "good.txt"))).toBe(true);
    const narrow = await play([{ calls: calls.slice(3) }, { text: "hi" }], {
      settings: { permissions: { mode: "auto" }, tools: { profile: "readonly" } },
    });
    expect(resultText(narrow.bodies()[1], "c3")).toContain("Denied (profile:readonly)");
    expect(existsSync(join(narrow.root, "b"))).toBe(false);
  });

  test("F 142: a call without a name has a result too", async () => {
    const { result, bodies } = await play([{ calls: [{ id: "c", name: "", input: {} }] }, { text: "hi" }]);
    expect(result).toMatchObject({ subtype: "success", result: "hi" });
    expect(resultText(bodies()[1], "c")).toContain("There is no tool");
  });

  test("F 143: ids that repeat or are empty: each call runs at most once, and each has a result", async () => {
    const append = (id: string, content: string) => ({ id, name: "append_file", input: { path: "log.txt", content } });
    const { root, bodies } = await play([
      { calls: [append("a", "1\n"), append("a", "1\n"), append("a", "2\n")] },
      { calls: [append("a", "1\n"), append("a", "3\n")] },
      { calls: [append("", "4\n"), append("", "5\n")] },
      { text: "hi" },
    ]);
    expect(readFileSync(join(root, "log.txt"), "utf8")).toBe("1\n2\n3\n4\n5\n");
    const blocks =
      bodies()
        .at(-1)
        ?.messages.flatMap((message) => message.content) ?? [];
    const called = blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id);
    expect(new Set(called).size).toBe(called.length);
    expect(blocks.filter(({ type }) => type === "tool_result").map((block) => block.tool_use_id)).toEqual(called);
  });

  test("F 146: of a thousand calls 64 run, and the others say how to go on", async () => {
    const calls = Array.from({ length: 1000 }, (_, at) => ({
      id: `c${at}`,
      name: "append_file",
      input: { path: "log.txt", content: `${at}\n` },
    }));
    const { root, bodies } = await play([{ calls }, { text: "hi" }]);
    expect(readFileSync(join(root, "log.txt"), "utf8").trimEnd().split("\n")).toHaveLength(64);
    const results = bodies()[1]?.messages.flatMap(({ content }) =>
      content.filter(({ type }) => type === "tool_result"),
    );
    expect(results).toHaveLength(1000);
    expect(resultText(bodies()[1], "c999")).toContain("a message may hold 64 calls");
  });

  test("F 147: one failing call over and over is ended, and the model is told before", async () => {
    const { result, bodies } = await play((_, index) => ({
      calls: [{ id: `c${index}`, name: "run_command", input: { command: "exit 3" } }],
    }));
    expect(result).toMatchObject({ subtype: "error_loop_detected", exit_code: 5 });
    expect(bodies().length).toBeLessThanOrEqual(8);
    expect(JSON.stringify(bodies().at(-1))).toContain("Change course");
  });
});

describe("an end that says something else", () => {
  test.each<[string, WireReply, string | null]>([
    ["tools, and there is no call", { text: "hi", stop: "tools" }, "hi"],
    ["the end, and there is a call", { ...write("a.txt"), stop: "end" }, null],
    [
      "nothing at all",
      {
        events: anthropicEvents({ text: "hi" }).filter((event) => (event as { type: string }).type !== "message_delta"),
      },
      null,
    ],
  ])("F 144: %s", async (_, reply, answer) => {
    const { root, result, events } = await play([reply, { text: "next" }]);
    expect(result).toMatchObject({ subtype: "success", result: answer ?? "next" });
    expect(existsSync(join(root, "a.txt"))).toBe(reply.calls !== undefined);
    expect(of(events, "turn.retry")).toHaveLength(reply.events ? 1 : 0);
  });

  test.each<[string, WireReply]>([
    ["empty", { text: "" }],
    ["only thinking", { thinking: { text: "hm", signature: "s" } }],
    ["blank", { text: " \n" }],
  ])("F 145, D 63: a reply that is %s gets one reminder, a second one ends the run", async (_, reply) => {
    const once = await play([reply, { text: "hi" }]);
    expect(once.result).toMatchObject({ subtype: "success", result: "hi", num_turns: 2 });
    const twice = await play(() => reply);
    expect(twice.result).toMatchObject({ subtype: "error_during_execution", exit_code: 1, num_turns: 2 });
    expect(twice.result.detail).toContain("empty answer");
  });

  test("F 145: a refusal is an end", async () => {
    const { result, server } = await play(() => ({ text: "I will not.", stop: "refusal" }));
    expect(result).toMatchObject({ subtype: "error_during_execution", result: "I will not.", exit_code: 1 });
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    ["negative", { input: -5, output: -5 }],
    ["absurd", { input: 1e15, output: 1e15 }],
    ["missing", { input: 0, output: 0 }],
  ])("F 148: usage that is %s is not believed: a budget of tokens holds by an estimate", async (_, usage) => {
    const settings = { permissions: { mode: "auto" }, limits: { tokens: 3_000 } } as const;
    const run = (at: number): WireReply => ({
      calls: [{ id: `c${at}`, name: "run_command", input: { command: `echo ${at}` } }],
      usage,
    });
    const { result, server } = await play((_request, index) => run(index), { settings });
    expect(result).toMatchObject({
      subtype: "error_budget",
      exit_code: 6,
      usage: { input_tokens: 0, output_tokens: 0 },
    });
    expect(server.requests.length).toBeGreaterThan(1);
    expect(server.requests.length).toBeLessThan(5);
  });

  test("F 149: an error that quotes the key is shown without it", async () => {
    const { result, events, session } = await play(() => ({
      status: 500,
      error: { message: "x-api-key: test-key\u001b[2J is bad" },
    }));
    for (const text of [JSON.stringify(result), JSON.stringify(events), JSON.stringify([...session.entries()])]) {
      expect(text).not.toContain("test-key");
    }
  });

  test("F 149: an answer that repeats the key is kept and shown without it", async () => {
    const { result, events, session } = await play([{ text: "Your key is test-key, I think.", chunk: 4 }]);
    expect(result.result).toMatch(/^Your key is \[redacted:[^\]]+\], I think\.$/);
    for (const text of [JSON.stringify(result), JSON.stringify(events), JSON.stringify([...session.entries()])]) {
      expect(text).not.toContain("test-key");
    }
  });

  test("F 150: a redirect is not followed with the key", async () => {
    const other = await stage([]);
    const { result } = await play([{ status: 302, headers: { location: `${other.server.url}/v1/messages` } }]);
    expect(result).toMatchObject({ subtype: "error_during_execution", exit_code: 1 });
    expect(result.detail).toMatch(/redirect to 127\.0\.0\.1.*not followed/);
    expect(other.server.requests).toEqual([]);
  });
});
