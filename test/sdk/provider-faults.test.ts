// A provider that is not there, or says no (SECURITY F 132-136): what is asked again, how long is waited, and what the run
// ends with. Bytes that go wrong are provider-bytes.test, answers that do are provider-answers.test.

import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, test } from "vitest";
import type { Event, Session } from "../../src/index.js";
import { fixedClock } from "../../src/lib/fixed.js";
import { of, states } from "../support/events.js";
import { now, play } from "../support/provider.js";
import { say, stage } from "../support/stage.js";
import type { WireReply } from "../support/wire/anthropic.js";

const slow = (headers: Record<string, string> = {}): WireReply => ({ status: 429, headers });

/** Against a base URL where no model is. */
async function lost(base: string, env: Record<string, string> = {}) {
  const s = await stage([]);
  const all = { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: base, ...env };
  const session = await s.open({ clock: fixedClock(now), env: all });
  return { ...s, result: await session.send("go") };
}

const delays = (events: readonly Event[]) => of(events, "turn.retry").map((event) => event.delay_ms);

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

describe("provider faults", () => {
  it("asks once when the key is refused", async () => {
    const set = await stage([{ status: 401, error: { message: "bad key" } }]);
    const session = await set.open();
    expect(await session.send("go")).toMatchObject({ subtype: "error_auth", exit_code: 3 });
    expect(set.server.requests).toHaveLength(1);
    await session.close();
    expect(states(set.events)).toEqual(["created>running", "running>failed"]);
  });

  it("retries what may pass, with the same bytes, and goes on", async () => {
    const set = await stage([
      { status: 529, error: { message: "busy" } },
      { status: 429, error: { message: "slow" }, headers: { "retry-after": "1" } },
      say("ok"),
    ]);
    const clock = fixedClock();
    const result = await (await set.open({ clock })).send("go");
    expect(result.subtype).toBe("success");
    expect(new Set(set.server.requests.map((request) => request.body)).size).toBe(1);
    expect(set.events.flatMap((event) => (event.type === "turn.retry" ? [event.kind] : []))).toEqual([
      "network",
      "rate",
    ]);
  });

  it("gives up after bounded retries with 75", async () => {
    const set = await stage(Array.from({ length: 20 }, () => ({ status: 500, error: { message: "no" } })));
    const result = await (await set.open({ clock: fixedClock() })).send("go");
    expect(result).toMatchObject({ subtype: "error_provider", exit_code: 75 });
    expect(set.server.requests.length).toBe(5);
  });

  it("runs nothing of a stream that broke inside a call, and asks again", async () => {
    const call = { id: "w", name: "write_file", input: { path: "a.txt", content: "whole\n" } };
    const set = await stage([
      { calls: [{ ...call, input: { path: "a.txt", content: "half\n" } }], chunk: 4, cutAfter: 6 },
      { calls: [call] },
      say("ok"),
    ]);
    const result = await (await set.open({ clock: fixedClock() })).send("go");
    expect(result.subtype).toBe("success");
    expect(readFileSync(join(set.root, "a.txt"), "utf8")).toBe("whole\n");
  });
});
