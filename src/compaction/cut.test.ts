import { array, assert, constantFrom, integer, nat, property, record } from "fast-check";
import { expect, test } from "vitest";
import type { Said } from "../core/conversation.js";
import { type CallPart, callsOf, type Message } from "../core/message.js";
import { cut } from "./cut.js";
import { tokensOfMessage } from "./size.js";

const said = (message: Message, i: number): Said => ({ id: `e${i}`, message });
const text = (role: "user" | "assistant", chars: number): Message => ({
  role,
  parts: [{ type: "text", text: "t".repeat(chars) }],
});
const calls = (...ids: string[]): Message => ({
  role: "assistant",
  parts: ids.map((id): CallPart => ({ type: "call", id, tool: "look", input: {} })),
});
const result = (callId: string, chars = 4): Message => ({
  role: "tool",
  parts: [{ type: "result", callId, tool: "look", text: "r".repeat(chars), isError: false }],
});
const ids = (entries: readonly Said[] | undefined) => entries?.map(({ id }) => id);

test("the longest tail that fits is kept", () => {
  const talk = [text("user", 400), text("assistant", 400), text("user", 40), text("assistant", 40)].map(said);
  expect(ids(cut(talk, 40)?.tail)).toEqual(["e2", "e3"]);
  expect(ids(cut(talk, 35)?.tail)).toEqual(["e3"]);
  expect(ids(cut(talk, 10)?.tail)).toEqual([]);
  expect(ids(cut(talk, 0)?.compacted)).toEqual(["e0", "e1", "e2", "e3"]);
});

test("the first message always goes, or there is nothing to cut", () => {
  const talk = [text("user", 4), text("assistant", 4)].map(said);
  expect(ids(cut(talk, 1_000_000)?.compacted)).toEqual(["e0"]);
  expect(cut([], 1_000)).toBeNull();
});

test("a call stays with its results, whatever lies between", () => {
  const talk = [text("user", 400), calls("a", "b"), result("a"), text("user", 4), result("b"), text("assistant", 4)];
  expect(ids(cut(talk.map(said), 30)?.tail)).toEqual(["e5"]);
  expect(ids(cut(talk.map(said), 1_000)?.tail)).toEqual(["e1", "e2", "e3", "e4", "e5"]);
});

test("a call that is still open keeps everything from itself on", () => {
  const talk = [text("user", 400), text("assistant", 40), calls("a", "b"), result("a")].map(said);
  expect(ids(cut(talk, 0)?.tail)).toEqual(["e2", "e3"]);
  expect(cut([calls("a")].map(said), 0)).toBeNull();
});

/** Turns of a conversation: text, or calls whose results come in any size, with steering between them or not. */
const turn = record({
  kind: constantFrom("text", "calls"),
  size: nat(2_000),
  calls: integer({ min: 1, max: 4 }),
  steer: nat(3),
});

test("property: no pair is split, the tail is verbatim and fits, and nothing is lost or doubled", () => {
  assert(
    property(array(turn, { minLength: 1, maxLength: 30 }), nat(4_000), (turns, keep) => {
      const messages = turns.flatMap(({ kind, size, calls: count, steer }, n) => {
        if (kind === "text") return [text("user", size), text("assistant", size)];
        const names = Array.from({ length: count }, (_, i) => `c${n}-${i}`);
        const results = names.map((name) => result(name, size));
        return [calls(...names), ...results.slice(0, steer), text("user", 10), ...results.slice(steer)];
      });
      const talk = messages.map(said);
      const parts = cut(talk, keep);
      if (!parts) throw new Error("all calls are closed, so there is a place");
      expect([...parts.compacted, ...parts.tail]).toEqual(talk);
      expect(parts.compacted.length).toBeGreaterThan(0);
      expect(parts.tail.reduce((sum, { message }) => sum + tokensOfMessage(message), 0)).toBeLessThanOrEqual(keep);
      const called = parts.tail.flatMap(({ message }) => callsOf(message).map(({ id }) => id));
      const answered = parts.tail.flatMap(({ message }) =>
        message.parts.flatMap((part) => (part.type === "result" ? [part.callId] : [])),
      );
      expect(called.sort()).toEqual(answered.sort());
    }),
  );
});
