import fc from "fast-check";
import { expect, test } from "vitest";
import { FrameReader, frame } from "./framing.js";

function reader() {
  const messages: unknown[] = [];
  const faults: string[] = [];
  const sink = { message: (message: unknown) => messages.push(message), fault: (why: string) => faults.push(why) };
  return { reader: new FrameReader(sink), messages, faults };
}

test("whatever the pieces in which frames come, the messages are those that were sent", () => {
  const message = fc.record({ id: fc.integer(), text: fc.string({ unit: "binary", maxLength: 40 }) });
  const run = fc.property(fc.array(message, { maxLength: 6 }), fc.array(fc.nat(60)), (sent, sizes) => {
    const bytes = Buffer.concat(sent.map(frame));
    const { reader: reads, messages, faults } = reader();
    for (let at = 0, i = 0; at < bytes.length; i++) {
      const size = 1 + (sizes[i % Math.max(sizes.length, 1)] ?? 0);
      reads.push(bytes.subarray(at, at + size));
      at += size;
    }
    // JSON itself has no lone surrogates: both sides are what JSON makes of them.
    expect(messages).toEqual(sent.map((each) => JSON.parse(Buffer.from(JSON.stringify(each)).toString())));
    expect(faults).toEqual([]);
  });
  fc.assert(run);
});

test("a length counts bytes, not characters", () => {
  expect(frame({ a: "ü😀" }).toString()).toBe('Content-Length: 14\r\n\r\n{"a":"ü😀"}');
});

test.each([
  ["a header of other fields", "Content-Type: x; charset=utf-8\r\ncontent-length:  2 \r\nX: y\r\n\r\n{}"],
  ["a body of white space around", "Content-Length: 4\r\n\r\n {} "],
])("%s is a frame", (_, text) => {
  const { reader: reads, messages } = reader();
  reads.push(Buffer.from(text));
  expect(messages).toEqual([{}]);
});

test.each([
  ["no length", "Content-Type: x\r\n\r\n{}", /^no Content-Length in "Content-Type: x"$/],
  ["a log line in between", "starting up…\r\n\r\n", /^no Content-Length/],
  ["a length that is no number", "Content-Length: -1\r\n\r\n", /^no Content-Length/],
  ["no JSON", "Content-Length: 3\r\n\r\n{a}", /^a message that is no JSON, or nested too deeply: "\{a\}"$/],
  ["a length beyond all measure", `Content-Length: ${300 * 1024 * 1024}\r\n\r\n`, /^a message of 314572800 bytes$/],
  ["a length of very many digits", `Content-Length: ${"9".repeat(4_000)}\r\n\r\n`, /^a message of 9{40} bytes$/],
  ["a header without an end", "x".repeat(5_000), /^a header without an end$/],
])("%s is a fault, told once, and nothing is read after it", (_, text, why) => {
  const { reader: reads, messages, faults } = reader();
  reads.push(Buffer.concat([frame({ first: true }), Buffer.from(text)]));
  reads.push(frame({ later: true }));
  expect(messages).toEqual([{ first: true }]);
  expect(faults).toEqual([expect.stringMatching(why)]);
});

test("a fault in what the message does is not taken for one of the frame", () => {
  const reads = new FrameReader({
    message: () => {
      throw new Error("ours");
    },
    fault: () => expect.unreachable(),
  });
  expect(() => reads.push(frame({}))).toThrow("ours");
});
