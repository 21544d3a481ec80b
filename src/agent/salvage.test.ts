import { describe, expect, it } from "vitest";
import type { Message } from "../core/message.js";
import type { ToolDescriptor } from "../core/tool.js";
import { salvageInput, salvageMessage } from "./salvage.js";

const table: [string, string, unknown][] = [
  ["an open text", '{"path":"a","content":"one\\ntw', { path: "a", content: "one\n" }],
  [
    "an open text after another order of members",
    '{"mode":1,"path":"a","content":"one\\n',
    { mode: 1, path: "a", content: "one\n" },
  ],
  ["a whole text in an open object", '{"path":"a","content":"one\\ntw"', { path: "a", content: "one\ntw" }],
  ["a cut escape", '{"path":"a","content":"one\\n\\', { path: "a", content: "one\n" }],
  ["a cut code point", '{"path":"a","content":"one\\n\\ud83d\\ud', { path: "a", content: "one\n" }],
  ["escapes in whole lines", '{"path":"a","content":"\\"\\u00e9\\t\\\\\\nx', { path: "a", content: '"é\t\\\n' }],
  ["blanks", ' { "path" : "a" , "content" : "one\\n', { path: "a", content: "one\n" }],
  ["no whole line", '{"path":"a","content":"one', null],
  ["an empty text", '{"path":"a","content":"', null],
  ["nothing of the text", '{"path":"a","content":', null],
  ["a cut path", '{"path":"a', null],
  ["text before the path", '{"content":"one\\n","pa', null],
  ["a cut number", '{"expected_size":12', null],
  ["a nested value", '{"path":{"a":1},"content":"one\\n', null],
  ["a repeated member", '{"path":"a","path":"b","content":"one\\n', null],
  ["no object", "[1", null],
  ["nothing", "", null],
];

describe("salvage of arguments", () => {
  it.each(table)("%s", (_name, raw, input) => {
    expect(salvageInput(raw, "content")?.input ?? null).toEqual(input);
  });

  it("keeps whole lines only, wherever a text of 400 lines is cut", () => {
    const content = Array.from({ length: 400 }, (_, i) => `const v${i} = "é\\t${i}";\n`).join("");
    const whole = JSON.stringify({ path: "long.js", content });
    for (let at = 0; at < whole.length; at++) {
      // No other backslash stands before an n.
      const lines = whole.slice(0, at).split("\\n").length - 1;
      const text = content.split("\n").slice(0, lines).join("\n");
      const kept = salvageInput(whole.slice(0, at), "content");
      expect([kept?.input["content"], kept?.lines]).toEqual(
        lines === 0 ? [undefined, undefined] : [`${text}\n`, lines],
      );
    }
  });
});

describe("salvage of a message", () => {
  const tool = (salvage?: string) => ({ name: "t", ...(salvage ? { salvage } : {}) }) as ToolDescriptor;
  const raw = (lines: number) => `{"path":"a","content":"${"x\\n".repeat(lines)}y`;
  const message = (...raws: (string | null)[]): Message => ({
    role: "assistant",
    parts: raws.map((text, i) => ({
      type: "call",
      id: `c${i}`,
      tool: "t",
      input: {},
      ...(text === null ? {} : { raw: text }),
    })),
  });

  it("keeps the last call of a cut message, whatever came before it", () => {
    const kept = salvageMessage(message(null, raw(2)), () => tool("content"), "limit");
    expect(kept?.partial).toBe(true);
    expect(kept?.parts[1]).toEqual({
      type: "call",
      id: "c1",
      tool: "t",
      input: { path: "a", content: "x\nx\n" },
      cut: { lines: 2, last: "x" },
    });
  });

  it("keeps nothing for a tool that does not say so, nor of a call before the last", () => {
    expect(salvageMessage(message(raw(50)), () => tool(), "limit")).toBeNull();
    expect(salvageMessage(message(raw(50), null), () => tool("content"), "limit")).toBeNull();
    expect(salvageMessage(message(raw(50)), () => undefined, "limit")).toBeNull();
  });

  it("asks again for a broken stream unless twenty lines have arrived and nothing ran before", () => {
    expect(salvageMessage(message(raw(19)), () => tool("content"), "stream")).toBeNull();
    expect(salvageMessage(message(raw(20)), () => tool("content"), "stream")).not.toBeNull();
    expect(salvageMessage(message(null, raw(50)), () => tool("content"), "stream")).toBeNull();
  });
});
