import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "../core/message.js";
import { RequestPrefix } from "./prefix.js";

const user = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });
const request = (messages: Message[], more: { stable?: string; context?: string } = {}) => ({
  tools: [{ name: "t", description: "d", input: { type: "object" } }],
  stable: "stable",
  context: "context",
  messages,
  maxOutput: 100,
  ...more,
});

describe("request prefix", () => {
  it("finds no break while messages are only appended", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.string(), { minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 12 }),
        (turns) => {
          const prefix = new RequestPrefix();
          const messages: Message[] = [];
          for (const texts of turns) {
            messages.push(...texts.map(user));
            const { broken, marks } = prefix.advance("m", request([...messages]));
            expect(broken).toBeNull();
            expect(marks.length).toBeLessThanOrEqual(3);
            expect(marks.at(-1)).toEqual({ message: messages.length - 1, part: 0 });
          }
        },
      ),
    );
  });

  it("finds any changed, dropped or inserted block before the newest ones", () => {
    const texts = fc.array(fc.string(), { minLength: 2, maxLength: 12 });
    fc.assert(
      fc.property(texts, fc.nat(), fc.constantFrom("change", "drop", "insert"), (said, at, kind) => {
        const messages = said.map(user);
        const index = at % messages.length;
        const next = messages.map((message) => structuredClone(message));
        if (kind === "change") next[index] = user(`${said[index]}!`);
        if (kind === "drop") next.splice(index, 1);
        if (kind === "insert") next.splice(index, 0, user(`${said[index]}?`));
        const changed = messages.some((message, i) => JSON.stringify(next[i]) !== JSON.stringify(message));
        const prefix = new RequestPrefix();
        prefix.advance("m", request(messages));
        const { broken } = prefix.advance("m", request([...next, user("new")]));
        const stillExtends = messages.every(
          (message, i) => JSON.stringify([...next, user("new")][i]) === JSON.stringify(message),
        );
        expect(broken === null).toBe(stillExtends);
        if (broken && changed) expect(broken.section).toBe("messages");
      }),
    );
  });

  it("names the section that changed", () => {
    const prefix = new RequestPrefix();
    prefix.advance("m", request([user("a")]));
    expect(prefix.advance("m", request([user("a")], { stable: "other" })).broken?.section).toBe("stable");
    expect(prefix.advance("m", request([user("a")], { stable: "other", context: "x" })).broken?.section).toBe(
      "context",
    );
    expect(prefix.advance("n", request([user("a")], { stable: "other", context: "x" })).broken?.section).toBe("tools");
    expect(prefix.advance("n", request([user("a"), user("b")], { stable: "other", context: "x" })).broken).toBeNull();
  });

  it("proves the prefix of a resumed session from its mark alone", () => {
    const before = [user("a"), user("b")];
    const { mark } = new RequestPrefix().advance("m", request(before));
    const same = structuredClone([...before, user("c")]);
    expect(new RequestPrefix(mark).advance("m", request(same)).broken).toBeNull();
    const other = structuredClone([user("A"), user("b"), user("c")]);
    expect(new RequestPrefix(mark).advance("m", request(other)).broken?.section).toBe("messages");
    expect(new RequestPrefix(mark).advance("m", request([user("a")])).broken?.section).toBe("messages");
  });

  it("marks the newest block, the one before, and one in between when many were added", () => {
    const prefix = new RequestPrefix();
    const many = Array.from({ length: 30 }, (_, i) => user(String(i)));
    prefix.advance("m", request(many.slice(0, 2)));
    const { marks } = prefix.advance("m", request(many));
    expect(marks.map((mark) => mark.message)).toEqual([1, 11, 29]);
    const next = prefix.advance("m", request([...many, user("x")]));
    expect(next.marks.map((mark) => mark.message)).toEqual([29, 30]);
  });
});
