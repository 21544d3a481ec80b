// What a provider can do wrong, through the SDK against a server that plays it byte by byte (SECURITY F 132-150).
// Time stands still: the clock of these sessions moves only when somebody sleeps.

import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Event, HarnessOptions, Session } from "../../src/index.js";
import { fixedClock } from "../../src/lib/fixed.js";
import { resultText, stage } from "../support/stage.js";
import { anthropicEvents, type WireReply } from "../support/wire/anthropic.js";
import type { WireScript } from "../support/wire/server.js";

const now = Date.UTC(2026, 0, 1);
const slow = (headers: Record<string, string> = {}): WireReply => ({ status: 429, headers });
const write = (path: string, id = "w"): WireReply => ({
  calls: [{ id, name: "write_file", input: { path, content: "one\ntwo\n" } }],
});

async function play(script: WireReply[] | WireScript, options: Partial<HarnessOptions> = {}) {
  const s = await stage(script);
  const session = await s.open({ clock: fixedClock(now), ...options });
  return { ...s, session, result: await session.send("go") };
}

/** Against a base URL where no model is. */
async function lost(base: string, env: Record<string, string> = {}) {
  const s = await stage([]);
  const all = { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: base, ...env };
  const session = await s.open({ clock: fixedClock(now), env: all });
  return { ...s, result: await session.send("go") };
}

function of<Type extends Event["type"]>(events: readonly Event[], type: Type) {
  return events.filter((event): event is Extract<Event, { type: Type }> => event.type === type);
}

const delays = (events: readonly Event[]) => of(events, "turn.retry").map((event) => event.delay_ms);

/** The bytes of a reply as Anthropic would send them. */
function bytes(reply: WireReply): string {
  const frames = anthropicEvents(reply) as { type: string }[];
  return frames.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

const userTexts = (session: Session) =>
  [...session.entries()].flatMap((entry) =>
    entry.type === "message" && entry.data.origin === "user"
      ? entry.data.parts.flatMap((part) => (part.type === "text" ? [part.text] : []))
      : [],
  );

describe("an unavailable provider", () => {
  test.each([
    ["in seconds", { "retry-after": "7" }, [7_000, 7_000]],
    ["in milliseconds", { "retry-after-ms": "1500" }, [1_500, 1_500]],
    ["as a date", { "retry-after": new Date(now + 5_000).toUTCString() }, [5_000, 5_000]],
  ])("F 132: Retry-After %s is waited for, and shown", async (_, headers, expected) => {
    const { result, events } = await play([
      slow(headers),
      { status: 429, headers: { "retry-after-ms": String(expected[1]) } },
      { text: "hi" },
    ]);
    expect(result).toMatchObject({ subtype: "success", result: "hi" });
    expect(delays(events)).toEqual(expected);
    expect(of(events, "turn.retry").map(({ kind, attempt }) => [kind, attempt])).toEqual([
      ["rate", 1],
      ["rate", 2],
    ]);
  });

  test.each([{}, { "retry-after": "-3" }, { "retry-after": "soon" }])(
    "F 132: with Retry-After %j the pause is ours: it grows, with jitter",
    async (headers) => {
      const { events } = await play([slow(headers), slow(headers), slow(headers), { text: "hi" }]);
      const [a = 0, b = 0, c = 0] = delays(events);
      for (const [delay, base] of [
        [a, 500],
        [b, 1000],
        [c, 2000],
      ] as const) {
        expect(delay).toBeGreaterThanOrEqual(base * 0.75);
        expect(delay).toBeLessThanOrEqual(base * 1.25);
      }
      expect([a, b, c]).not.toEqual([500, 1000, 2000]);
    },
  );

  test("F 132: ten hours are not sat through; the user reads how long it is", async () => {
    const { result, server } = await play([slow({ "retry-after": "36000" })]);
    expect(result).toMatchObject({ subtype: "error_provider", exit_code: 75 });
    expect(result.detail).toContain("asks to wait for 600 minutes");
    expect(server.requests).toHaveLength(1);
  });

  test("F 133: four different failures in a row are got over, with the same bytes", async () => {
    const failing = [500, 502, 503, 529].map((status): WireReply => ({ status }));
    const { result, server, events } = await play([...failing, { text: "hi" }]);
    expect(result.subtype).toBe("success");
    expect(new Set(server.requests.map(({ body }) => body)).size).toBe(1);
    expect(of(events, "turn.retry").every((event) => event.discarded && event.text.includes("HTTP 5"))).toBe(true);
    expect(of(events, "state.change").at(-1)?.counts).toMatchObject({ model_calls: 1, retries: 4 });
  });

  test("F 133: endless failure is five requests and exit 75; what was said is kept and goes on", async () => {
    const { session, result, server, bodies } = await play((_, index) =>
      index < 5 ? { status: 503 } : { text: "hi" },
    );
    expect(result).toMatchObject({ subtype: "error_provider", exit_code: 75, is_error: true });
    expect(result.detail).toContain("may be run again");
    expect(server.requests).toHaveLength(5);
    expect(userTexts(session)).toEqual(["go"]);
    expect(await session.send("again")).toMatchObject({ subtype: "success", result: "hi" });
    expect(JSON.stringify(bodies().at(-1)?.messages)).toMatch(/go.*again/);
  });

  test("F 134: a request that is too long is never asked for in a circle", async () => {
    const long = { status: 400, error: { type: "invalid_request_error", message: "prompt is too long: 9 > 8" } };
    const { result, server } = await play(() => long);
    expect(result).toMatchObject({ subtype: "error_during_execution", exit_code: 1 });
    expect(result.detail).toContain("nothing that could be compacted");
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    [401, "error_auth", 3, "from ANTHROPIC_API_KEY"],
    [403, "error_auth", 3, "from ANTHROPIC_API_KEY"],
    [404, "error_during_execution", 1, "check the name of the model, and the base URL"],
  ])("F 135: %d is asked once and names the setting, not the key", async (status, subtype, exit, said) => {
    const { result, server } = await play([{ status, error: { message: "no: test-key" } }]);
    expect(result).toMatchObject({ subtype, exit_code: exit });
    expect(result.detail).toContain(said);
    expect(JSON.stringify(result)).not.toContain("test-key");
    expect(server.requests).toHaveLength(1);
  });
});

describe("F 136: no model where one should be", () => {
  test("nobody listens", async () => {
    const { result, events } = await lost("http://127.0.0.1:1");
    expect(result).toMatchObject({ subtype: "error_provider", exit_code: 75 });
    expect(result.detail).toContain("ECONNREFUSED");
    expect(of(events, "turn.retry")).toHaveLength(4);
  });

  test("there is no such host", async () => {
    const { result } = await lost("http://nowhere.invalid");
    expect(result).toMatchObject({ subtype: "error_provider", exit_code: 75 });
    expect(result.detail).toMatch(/nowhere\.invalid/);
  });

  test("TLS is spoken to something else", async () => {
    const server = createServer((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\n"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const { result } = await lost(`https://127.0.0.1:${port}`);
    expect(result).toMatchObject({ subtype: "error_provider", exit_code: 75 });
    expect(result.detail).toMatch(/SSL|TLS|EPROTO|socket/i);
  });

  test("a proxy wants a password", async () => {
    const { result, server } = await play([{ status: 407, body: "" }]);
    expect(result).toMatchObject({ subtype: "error_during_execution", exit_code: 1 });
    expect(result.detail).toContain("HTTP 407");
    expect(server.requests).toHaveLength(1);
  });

  test("a web page says that all is well", async () => {
    const page = { raw: ["<html>Log in</html>"], headers: { "content-type": "text/html; charset=utf-8" } };
    const { result, server } = await play([page]);
    expect(result).toMatchObject({ subtype: "error_during_execution", exit_code: 1 });
    expect(result.detail).toMatch(/a web page.*base URL.*log in/);
    expect(server.requests).toHaveLength(1);
  });
});

describe("an answer that does not arrive whole", () => {
  const whole: WireReply = { text: "I write.", ...write("a.txt") };
  const frames = anthropicEvents(whole).length;

  test.each([...Array(frames).keys()])("F 137: cut after %d of its events, nothing of it runs", async (cutAfter) => {
    const { root, result, events, session, server } = await play([{ ...whole, cutAfter }, { text: "hi" }]);
    expect(result).toMatchObject({ subtype: "success", result: "hi", files: [] });
    expect(existsSync(join(root, "a.txt"))).toBe(false);
    expect(of(events, "call.start")).toEqual([]);
    // What was heard is void, for front ends and in the log alike.
    expect(of(events, "turn.retry")).toMatchObject([{ kind: "network", discarded: true }]);
    expect([...session.entries()].filter((entry) => entry.type === "message")).toHaveLength(2);
    expect(server.requests[1]?.body).toBe(server.requests[0]?.body);
  });

  test("F 138: silence in the middle ends at the limit, and the socket is closed", async () => {
    const settings = { permissions: { mode: "auto" }, limits: { stall: 0.05 } } as const;
    const { result, events, server } = await play(
      [{ text: "one two three", chunk: 2, stallAfter: 4 }, { text: "hi" }],
      {
        settings,
      },
    );
    expect(result).toMatchObject({ subtype: "success", result: "hi" });
    expect(of(events, "turn.retry")[0]?.text).toContain("nothing more came for 50 ms");
    await server.closed(0);
  });

  test("F 138: a server that only pings is given up as well", async () => {
    const settings = { permissions: { mode: "auto" }, limits: { stall: 0.2 } } as const;
    const ping = 'event: ping\ndata: {"type":"ping"}\n\n';
    const { result, events, server } = await play([{ text: "one", stallAfter: 3, drip: ping }, { text: "hi" }], {
      settings,
    });
    expect(result).toMatchObject({ subtype: "success", result: "hi" });
    expect(of(events, "turn.retry")[0]?.text).toContain("nothing of the answer came for 2 s");
    await server.closed(0);
  });
});

describe("F 139: the same answer, however its bytes come", () => {
  const reply: WireReply = { text: "Grüße, 世界 🌍.", ...write("ä.txt") };
  const text = bytes(reply);
  const cut = (whole: string, size: number) => {
    const buffer = Buffer.from(whole);
    return Array.from({ length: Math.ceil(buffer.length / size) }, (_, at) =>
      buffer.subarray(at * size, (at + 1) * size),
    );
  };

  const news = (x: string) => `event: news\ndata: ${JSON.stringify({ type: "news", x })}\n\n`;

  test.each([
    ["one byte each", cut(text, 1)],
    ["seven bytes each", cut(text, 7)],
    ["all at once", [text]],
    ["CRLF", cut(text.replaceAll("\n", "\r\n"), 3)],
    ["a byte order mark first", [`\uFEFF${text}`]],
    ["comments between", [text.replaceAll("\n\n", "\n\n: hello\n\n")]],
    ["an unknown event of 3 MB", [text.replace("event: ping", `${news("x".repeat(3_000_000))}event: ping`)]],
  ])("%s", async (_, raw) => {
    const { root, result, session, events } = await play([{ raw }, { text: "hi" }]);
    expect(of(events, "turn.retry")).toEqual([]);
    expect(result).toMatchObject({ subtype: "success", result: "hi" });
    expect(readFileSync(join(root, "ä.txt"), "utf8")).toBe("one\ntwo\n");
    const said = [...session.entries()].flatMap((entry) => (entry.type === "message" ? entry.data.parts : []));
    expect(said).toContainEqual({ type: "text", text: "Grüße, 世界 🌍." });
  });
});

describe("F 140: events that are none", () => {
  const at = (text: string, more: string, place: "before" | "behind") =>
    place === "before" ? text.replace("event: content_block_start", `${more}event: content_block_start`) : text + more;
  const good = bytes({ text: "hi" });

  test.each([
    ["an unknown type", 'event: news\ndata: {"type":"news"}\n\n', "before"],
    [
      "anything behind the end",
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":9,"delta":{"type":"text_delta","text":"more"}}\n\n',
      "behind",
    ],
  ] as const)("%s is passed over", async (_, more, place) => {
    const { result, server } = await play([{ raw: [at(good, more, place)] }]);
    expect(result).toMatchObject({ subtype: "success", result: "hi" });
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    ["no JSON", "event: content_block_start\ndata: {oops\n\n"],
    [
      "a delta without an index",
      'event: content_block_delta\ndata: {"type":"content_block_delta","delta":{"type":"text_delta","text":"x"}}\n\n',
    ],
  ])("%s fails the attempt, not the run", async (_, more) => {
    const { result, events } = await play([{ raw: [at(good, more, "before")] }, { text: "again" }]);
    expect(result).toMatchObject({ subtype: "success", result: "again" });
    expect(of(events, "turn.retry")).toMatchObject([{ kind: "network", discarded: true }]);
  });
});

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
    expect(resultText(narrow.bodies()[1], "c3")).toContain("is not allowed here");
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
