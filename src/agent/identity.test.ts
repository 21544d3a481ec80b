import { describe, expect, it } from "vitest";
import type { Entry } from "../core/entry.js";
import type { CallPart, Message } from "../core/message.js";
import { CallIdentity } from "./identity.js";

/** A log in memory, and the identity that reads it. */
function opened(...before: Message[]) {
  let n = 0;
  const entries = new Map<string, Entry<"message">>();
  const log = (data: Message) => {
    const id = `e${entries.size}`;
    const entry = { v: 1, seq: entries.size, id, parent: null, type: "message", time: 0, data } as const;
    entries.set(id, entry);
    return entry;
  };
  const ports = {
    ids: { next: () => `id${++n}` },
    entry: (id: string) => entries.get(id),
    written: (text: string) => text,
  };
  const identity = new CallIdentity(ports, before.map(log));
  return {
    adopt(message: Message) {
      const adopted = identity.adopt(message);
      identity.learn(log(adopted.message));
      return adopted;
    },
    answer: (callId: string, text: string) => identity.learn(log(result(callId, text))),
    restart: (...path: Message[]) => identity.restart(path.map(log)),
  };
}
const result = (callId: string, text: string): Message => ({
  role: "tool",
  parts: [{ type: "result", callId, tool: "t", text, isError: false }],
});
const call = (id: string, input: CallPart["input"], tool = "t"): CallPart => ({ type: "call", id, tool, input });
const said = (...parts: CallPart[]): Message => ({ role: "assistant", parts });
const callIds = (message: Message) => message.parts.map((part) => (part.type === "call" ? part.id : ""));

describe("call identity", () => {
  it("keeps a new id and gives an empty one an id of its own", () => {
    const { message, replays } = opened().adopt(said(call("a", {}), call("", {}), call("", {})));
    expect(callIds(message)).toEqual(["a", "call_id1", "call_id2"]);
    expect(replays.size).toBe(0);
  });

  it("replays the same id with the same input, whatever the order of its keys", () => {
    const identity = opened();
    identity.adopt(said(call("a", { x: 1, y: 2 })));
    identity.answer("a", "done");
    const { message, replays } = identity.adopt(said(call("a", { y: 2, x: 1 })));
    expect(callIds(message)).toEqual(["call_id1"]);
    expect(replays.get("call_id1")).toEqual(result("a", "done").parts[0]);
  });

  it("treats the same id with other input, or for another tool, as a new call", () => {
    const identity = opened();
    identity.adopt(said(call("a", { x: 1 })));
    identity.answer("a", "done");
    const { message, replays } = identity.adopt(said(call("a", { x: 2 }), call("a", { x: 1 }, "u")));
    expect(callIds(message)).toEqual(["call_id1", "call_id2"]);
    expect(replays.size).toBe(0);
  });

  it("drops a duplicate inside one message and keeps the first", () => {
    const { message } = opened().adopt(said(call("a", { x: 1 }), call("a", { x: 1 })));
    expect(callIds(message)).toEqual(["a"]);
  });

  it("knows the calls of a resumed session", () => {
    const { replays } = opened(said(call("a", { x: 1 })), result("a", "done")).adopt(said(call("a", { x: 1 })));
    expect([...replays.values()].map((part) => part.text)).toEqual(["done"]);
  });

  it("knows no result of a branch that was left, and gives its ids to nobody else", () => {
    const identity = opened(said(call("a", { x: 1 })), result("a", "done"));
    identity.restart();
    const { message, replays } = identity.adopt(said(call("a", { x: 1 })));
    expect(callIds(message)).toEqual(["call_id1"]);
    expect(replays.size).toBe(0);
  });
});
