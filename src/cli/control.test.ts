import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { longestLine, readControl } from "./control.js";
import { linesOf } from "./lines.js";

describe("readControl", () => {
  test.each([
    ['{"type":"user","text":"hi"}', { type: "user", text: "hi", images: [] }],
    ['{"type":"user","message":{"role":"user","content":"hi"}}', { type: "user", text: "hi", images: [] }],
    [
      '{"type":"user","message":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}',
      { type: "user", text: "a\nb", images: [] },
    ],
    [
      '{"type":"user","message":{"content":[{"type":"image","source":{"type":"base64","data":"AAEC"}}]}}',
      { type: "user", text: "", images: [{ bytes: Buffer.from([0, 1, 2]) }] },
    ],
    ['{"type":"steer","mode":"now","text":"x"}', { type: "steer", mode: "now", text: "x" }],
    [
      '{"type":"approval","id":"1","decision":"deny","feedback":"no"}',
      { type: "approval", id: "1", decision: "deny", feedback: "no" },
    ],
    ['{"type":"cancel"}', { type: "cancel" }],
  ])("%s", (line, control) => {
    expect(readControl(line)).toEqual({ ok: true, control });
  });

  test.each([
    ["not json", /not a JSON object/],
    ["[1]", /not a JSON object/],
    ["{}", /null is not one of user, steer, approval, cancel/],
    ['{"type":"usr"}', /"usr" is not one of/],
    ['{"type":"user"}', /needs a "text"/],
    ['{"type":"user","text":"  "}', /needs a "text"/],
    ['{"type":"user","message":{"content":[{"type":"image"}]}}', /needs a "source" of the type "base64"/],
    ['{"type":"user","message":{"content":[{"type":"document"}]}}', /"document" is neither text nor an image/],
    ['{"type":"user","message":{"content":[]}}', /needs a "text"/],
    ['{"type":"steer","text":"x"}', /"now" or "queue"/],
    ['{"type":"approval","id":"1","decision":"yes"}', /"allow" or "deny"/],
    ['{"type":"approval","decision":"allow"}', /"id"/],
    [`"${"x".repeat(longestLine)}`, /longer than/],
  ])("refused: %.40s", (line, error) => {
    expect(readControl(line)).toEqual({ ok: false, error: expect.stringMatching(error) });
  });
});

describe("linesOf", () => {
  async function split(text: string, at: readonly number[]): Promise<string[]> {
    const bytes = new TextEncoder().encode(text);
    const cuts = [0, ...[...at].sort((a, b) => a - b).map((cut) => cut % (bytes.length + 1)), bytes.length].sort(
      (a, b) => a - b,
    );
    async function* pieces() {
      for (let i = 1; i < cuts.length; i++) yield bytes.slice(cuts[i - 1], cuts[i]);
    }
    const lines: string[] = [];
    for await (const line of linesOf(pieces(), 1000)) lines.push(line);
    return lines;
  }

  test("the same lines, however the bytes come", async () => {
    const parts = fc.array(fc.constantFrom("a", "ä", "漢", "🙂", "\r\n", "\n", " "), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(parts, fc.array(fc.nat(40)), async (text, cuts) => {
        const whole = text.join("");
        const expected = whole.split("\n").map((line) => line.replace(/\r$/, ""));
        if (expected.at(-1) === "") expected.pop();
        expect(await split(whole, cuts)).toEqual(expected);
      }),
    );
  });

  test("a line beyond the limit is cut, and the next one is whole", async () => {
    expect(await split(`${"x".repeat(5000)}\nnext`, [100, 2000])).toEqual(["x".repeat(1001), "next"]);
  });
});
