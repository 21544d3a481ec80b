import { describe, expect, it } from "vitest";
import type { CallPart, Message } from "../core/message.js";
import { CallIdentity } from "./identity.js";

const ids = () => {
  let n = 0;
  return { next: () => `id${++n}` };
};
const call = (id: string, input: CallPart["input"], tool = "t"): CallPart => ({ type: "call", id, tool, input });
const said = (...parts: CallPart[]): Message => ({ role: "assistant", parts });
const callIds = (message: Message) => message.parts.map((part) => (part.type === "call" ? part.id : ""));

describe("call identity", () => {
  it("keeps a new id and gives an empty one an id of its own", () => {
    const { message, replays } = new CallIdentity(ids(), []).adopt(said(call("a", {}), call("", {}), call("", {})));
    expect(callIds(message)).toEqual(["a", "call_id1", "call_id2"]);
    expect(replays.size).toBe(0);
  });

  it("replays the same id with the same input, whatever the order of its keys", () => {
    const identity = new CallIdentity(ids(), []);
    identity.adopt(said(call("a", { x: 1, y: 2 })));
    const result = { type: "result", callId: "a", tool: "t", text: "done", isError: false } as const;
    identity.settle(result);
    const { message, replays } = identity.adopt(said(call("a", { y: 2, x: 1 })));
    expect(callIds(message)).toEqual(["call_id1"]);
    expect(replays.get("call_id1")).toEqual(result);
  });

  it("treats the same id with other input, or for another tool, as a new call", () => {
    const identity = new CallIdentity(ids(), []);
    identity.adopt(said(call("a", { x: 1 })));
    identity.settle({ type: "result", callId: "a", tool: "t", text: "done", isError: false });
    const { message, replays } = identity.adopt(said(call("a", { x: 2 }), call("a", { x: 1 }, "u")));
    expect(callIds(message)).toEqual(["call_id1", "call_id2"]);
    expect(replays.size).toBe(0);
  });

  it("drops a duplicate inside one message and keeps the first", () => {
    const { message } = new CallIdentity(ids(), []).adopt(said(call("a", { x: 1 }), call("a", { x: 1 })));
    expect(callIds(message)).toEqual(["a"]);
  });

  it("knows the calls of a resumed session", () => {
    const entry = (seq: number, data: Message) =>
      ({ v: 1, seq, id: `e${seq}`, parent: null, type: "message", time: 0, data }) as const;
    const path = [
      entry(0, said(call("a", { x: 1 }))),
      entry(1, { role: "tool", parts: [{ type: "result", callId: "a", tool: "t", text: "done", isError: false }] }),
    ];
    const { replays } = new CallIdentity(ids(), path).adopt(said(call("a", { x: 1 })));
    expect([...replays.values()].map((part) => part.text)).toEqual(["done"]);
  });
});
