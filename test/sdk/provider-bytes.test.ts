// An answer as bytes (SECURITY F 137-140): cut, slow, silent, in pieces of any size, with events that are none. It is taken
// as a whole or not at all.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { of } from "../support/events.js";
import { bytes, play, write } from "../support/provider.js";
import { anthropicEvents, type WireReply } from "../support/wire/anthropic.js";

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
