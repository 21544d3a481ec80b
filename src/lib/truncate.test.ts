import fc from "fast-check";
import { expect, test } from "vitest";
import { cutLine, HeadTail } from "./truncate.js";

function pushed(text: string, pieces: number, limits = { head: 20, tail: 30 }) {
  const kept = new HeadTail(limits);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieces) kept.push(bytes.subarray(at, at + pieces));
  return kept;
}

test("short text comes back as it was, whatever the pieces", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 8 });
  fc.assert(
    fc.property(
      text,
      fc.integer({ min: 1, max: 9 }),
      (t, n) => Buffer.byteLength(t) > 50 || pushed(t, n).render(() => "!") === t,
    ),
  );
});

test("long text: whole characters, head and tail of the original, and the numbers add up", () => {
  const text = fc.array(fc.string({ unit: "grapheme", maxLength: 12 }), { minLength: 20, maxLength: 60 });
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 200 }), (lines, n) => {
      const whole = `${lines.join("\n")}\n`;
      fc.pre(Buffer.byteLength(whole) > 50);
      const kept = pushed(whole, n);
      let left = 0;
      const shown = kept.render((_, bytes) => {
        left = bytes;
        return "<cut>";
      });
      const [head = "", tail = ""] = shown.split(/\n?<cut>\n/);
      expect(kept.bytes).toBe(Buffer.byteLength(whole));
      expect(whole.startsWith(head)).toBe(true);
      expect(whole.endsWith(tail)).toBe(true);
      expect(shown).not.toContain("\ufffd");
      expect(Buffer.byteLength(head) + Buffer.byteLength(tail) + left).toBeGreaterThanOrEqual(kept.bytes - 1);
    }),
  );
});

test("counts lines, an open last one included", () => {
  expect([pushed("", 1).lines, pushed("a", 1).lines, pushed("a\n", 1).lines, pushed("a\nb", 2).lines]).toEqual([
    0, 1, 1, 2,
  ]);
});

test("cuts a long line and says how long it was", () => {
  expect(cutLine("abc", 3)).toBe("abc");
  expect(cutLine("abcd", 3)).toBe("abc… [line of 4 characters, cut]");
});
