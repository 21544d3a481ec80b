import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lines, mergeBytes } from "./merge.js";

const text = fc
  .array(fc.constantFrom("a\n", "b\n", "c\r\n", "\n", "é\n", "d"), { maxLength: 12 })
  .map((parts) => Buffer.from(parts.join("")));

describe("mergeBytes", () => {
  test("what only one side changed is that side, whatever the bytes", () => {
    fc.assert(
      fc.property(text, text, (base, side) => {
        expect(mergeBytes(base, base, side)).toEqual(side);
        expect(mergeBytes(base, side, base)).toEqual(side);
        expect(mergeBytes(base, side, side)).toEqual(side);
      }),
    );
  });

  test("changes in separate places are both there, in either order", () => {
    fc.assert(
      fc.property(text, text, text, (one, two, fresh) => {
        const wall = Buffer.from("WALL 1\nWALL 2\nWALL 3\n");
        const end = (bytes: Buffer) =>
          bytes.length === 0 || bytes.at(-1) === 10 ? bytes : Buffer.concat([bytes, Buffer.from("\n")]);
        const join = (first: Buffer, last: Buffer) => Buffer.concat([end(first), wall, end(last)]);
        const base = join(one, two);
        const both = join(fresh, fresh);
        expect(mergeBytes(base, join(fresh, two), join(one, fresh))).toEqual(both);
        expect(mergeBytes(base, join(one, fresh), join(fresh, two))).toEqual(both);
      }),
    );
  });

  test("the same or touching lines are refused, and so is anything with NUL bytes", () => {
    const base = Buffer.from("1\n2\n3\n4\n");
    const merged = (ours: string, theirs: string) =>
      mergeBytes(base, Buffer.from(ours), Buffer.from(theirs))?.toString();
    expect(merged("1\nours\n3\n4\n", "1\ntheirs\n3\n4\n")).toBeUndefined();
    expect(merged("1\nours\n3\n4\n", "1\n2\ntheirs\n4\n")).toBeUndefined();
    expect(merged("1\nours\n3\n4\n", "1\n2\n3\ntheirs\n")).toBe("1\nours\n3\ntheirs\n");
    expect(merged("1\n2\n3\n4\n\0", "theirs\n2\n3\n4\n")).toBeUndefined();
  });

  test("lines put together are the bytes again", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(Buffer.from(lines(Buffer.from(bytes)).join(""), "latin1")).toEqual(Buffer.from(bytes));
      }),
    );
  });
});
