// The views on facts that are made here: entries, events and results in, lines out.

import { describe, expect, test } from "vitest";
import type { Entry } from "../../core/entry.js";
import type { Event, EventBody } from "../../core/event.js";
import type { Message } from "../../core/message.js";
import type { Init } from "../../index.js";
import { noSession } from "../unasked.js";
import { advance, noProgress, ProgressLine, progressText } from "./progress.js";
import { closing, opening, remark } from "./remarks.js";
import { ackLine, messageLine } from "./stream-json.js";

const at = (body: EventBody, time = "2026-01-01T00:00:00.000Z") =>
  ({ ...body, seq: 1, session: "s", agent: "main", time }) as Event;

function entry(data: Message): Entry {
  return { v: 1, seq: 1, id: "e1", parent: null, type: "message", time: 0, data };
}

describe("messageLine", () => {
  const frame = { session: "s", model: "p/m", call: null };

  test("an assistant message with thinking, text and a call", () => {
    const line = messageLine(
      entry({
        role: "assistant",
        parts: [
          { type: "thinking", text: "hm", by: "p/m", opaque: { signature: "secret" } },
          { type: "text", text: "ok" },
          { type: "call", id: "c1", tool: "t", input: { a: 1 } },
        ],
        stop: "tools",
        usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
      }),
      frame,
    );
    expect(line).toEqual({
      type: "assistant",
      message: {
        id: "msg_e1",
        type: "message",
        role: "assistant",
        model: "p/m",
        content: [
          { type: "thinking", thinking: "hm" },
          { type: "text", text: "ok" },
          { type: "tool_use", id: "c1", name: "t", input: { a: 1 } },
        ],
        stop_reason: "tool_use",
        usage: { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 3, cache_creation_input_tokens: 4 },
      },
      parent_tool_use_id: null,
      session_id: "s",
      uuid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/),
    });
  });

  test("results and user texts are user lines; other entries are none", () => {
    const result = messageLine(
      entry({ role: "tool", parts: [{ type: "result", callId: "c1", tool: "t", text: "no", isError: true }] }),
      frame,
    );
    expect(result).toMatchObject({
      type: "user",
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "no", is_error: true }] },
    });
    const nudge = messageLine(entry({ role: "user", parts: [{ type: "text", text: "x" }], origin: "harness" }), frame);
    expect(nudge).toMatchObject({
      type: "user",
      origin: "harness",
      message: { content: [{ type: "text", text: "x" }] },
    });
    const head: Entry = { v: 1, seq: 2, id: "e2", parent: "e1", type: "head", time: 0, data: { target: null } };
    expect(messageLine(head, frame)).toBeNull();
  });

  test("ack", () => {
    expect(ackLine(3, null)).toEqual({ type: "system", subtype: "ack", line: 3, ok: true });
    expect(ackLine(3, "why")).toEqual({ type: "system", subtype: "ack", line: 3, ok: false, error: "why" });
  });
});

describe("progress", () => {
  const usage = { input: 1000, output: 200, cacheRead: 12_000, cacheWrite: 0 };
  const events = [
    at({ type: "turn.start", turn: 2 }),
    at({ type: "turn.end", turn: 2, usage, cost: 0.031, stop: "tools" }, "2026-01-01T00:00:09.000Z"),
    at({ type: "call.start", call: "c", tool: "t", summary: "run \x1b[31mnpm\ntest" }, "2026-01-01T00:00:12.500Z"),
  ];

  test("says how long, how far, how much and what, safely and in one line", () => {
    const progress = events.reduce(advance, noProgress);
    expect(progressText(progress, 80)).toBe("12 s · turn 2 · 13.2k tokens · $0.0310 · run npm test");
    expect(progressText(progress, 20)).toHaveLength(20);
  });

  test("an unknown price is not shown as free", () => {
    const progress = advance(noProgress, at({ type: "turn.end", turn: 1, usage, cost: null, stop: "end" }));
    expect(progressText(progress, 80)).not.toContain("$");
  });

  test("draws at most every 100 ms of event time, and clears what it drew", () => {
    const written: string[] = [];
    const line = new ProgressLine(
      (text) => written.push(text),
      () => 80,
      false,
    );
    line.clear();
    for (const ms of ["000", "050", "099", "100"])
      line.event(at({ type: "text.delta", text: "x" }, `2026-01-01T00:00:00.${ms}Z`));
    line.clear();
    line.clear();
    expect(written).toEqual(["\r\x1b[2K0 s · turn 0 · writing", "\r\x1b[2K0 s · turn 0 · writing", "\r\x1b[2K"]);
  });

  test("with colour the line is dim", () => {
    const written: string[] = [];
    new ProgressLine(
      (text) => written.push(text),
      () => 80,
      true,
    ).event(at({ type: "text.delta", text: "x" }));
    expect(written).toEqual(["\r\x1b[2K\x1b[2m0 s · turn 0 · writing\x1b[22m"]);
  });
});

describe("remarks", () => {
  const init: Init = {
    session_id: "s",
    model: "p/m",
    window: 200_000,
    cwd: "/p",
    root: "/p",
    tools: [],
    permission_mode: "ask",
    trust: "none",
    ignored: [],
    not_loaded: [],
    sandbox: "none",
    version: "1",
    model_source: "given",
    notices: [],
  };

  test("the model is named only when nobody named it", () => {
    expect(opening(init)).toEqual([]);
    expect(opening({ ...init, model_source: "setting model" })).toEqual([]);
    expect(opening({ ...init, model_source: "OPENAI_API_KEY" })).toEqual([
      "Model: p/m, because OPENAI_API_KEY is set.",
    ]);
  });

  test("what was left out is named with the flag that loads it", () => {
    expect(opening({ ...init, trust: "untrusted", ignored: ["AGENTS.md"], notices: ["n"] })).toEqual([
      "n",
      "Not loaded, because this project is not trusted: AGENTS.md. --trust loads it for this run, `cinch trust project` from now on.",
    ]);
    const unused = { ignored: [".mcp.json"], not_loaded: [".mcp.json"] };
    expect(opening({ ...init, trust: "untrusted", ...unused })).toEqual([]);
  });

  test("the first line about a denial names the flag", () => {
    const denial = { tool_name: "t", tool_use_id: "c", tool_input: {}, reason: "Nobody." };
    const denied = { ...noSession("x"), subtype: "error_denied" as const, permission_denials: [denial] };
    expect(closing({ ...denied, detail: "nobody: --permission-mode auto" })).toEqual([
      "nobody: --permission-mode auto",
      "Denied: t. Nobody.",
    ]);
  });

  test("what a provider says ends in one full stop, and what was used is rounded", () => {
    const retry = (text: string) =>
      remark(at({ type: "turn.retry", attempt: 1, kind: "rate", text, delay_ms: 400, discarded: true }), false);
    expect(retry("slow")).toBe("slow. Trying again in 0.4 s (attempt 2).");
    expect(retry("Slow!")).toBe("Slow! Trying again in 0.4 s (attempt 2).");
    const warn = at({ type: "budget.warn", what: "time", used: 1.0176730109993368, limit: 1 });
    expect(remark(warn, false)).toBe("time: 1.02 of 1 are used.");
    expect(remark(at({ type: "budget.warn", what: "tokens", used: 123456, limit: 1 }), false)).toContain("123456 of 1");
  });

  test("info is for those who want to know, warnings are for all", () => {
    const info = at({ type: "notice", level: "info", code: "c", text: "t" });
    expect([remark(info, false), remark(info, true)]).toEqual([null, "t"]);
    expect(remark(at({ type: "notice", level: "warning", code: "c", text: "t" }), false)).toBe("t");
  });
});
