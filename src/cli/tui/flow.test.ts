import { describe, expect, test } from "vitest";
import type { TextBlock } from "./block.js";
import { Flow } from "./flow.js";
import { type Line, textOfLine } from "./span.js";

const drawing = (width: number) => ({ width, calls: "line", open: false, now: 0, pictures: null }) as const;
const numbers = (lines: readonly Line[]) => lines.flatMap((each) => textOfLine(each).match(/\d+/g) ?? []).map(Number);

/** What has scrolled away of 300 numbered words that arrive one by one, and at last what is in sight. */
function shown(widthAt: (word: number) => number, join: (word: number) => string): number[] {
  const block: TextBlock = { kind: "text", id: "b1", version: 0, done: false, text: "" };
  const flow = new Flow();
  const gone: Line[] = [];
  for (let word = 1; word <= 300; word++) {
    block.text += `${join(word)}word${word}`;
    gone.push(...flow.advance([block], drawing(widthAt(word)), 5).finished);
  }
  block.done = true;
  const { finished, live } = flow.advance([block], drawing(widthAt(300)), 5);
  return numbers([...gone, ...finished, ...live]);
}

const all = Array.from({ length: 300 }, (_, at) => at + 1);

describe.each([
  ["paragraphs", (word: number) => (word % 40 === 0 ? "\n\n" : " ")],
  ["one paragraph", () => " "],
  ["a list", (word: number) => (word % 7 === 0 ? "\n- " : " ")],
  ["code", (word: number) => (word === 1 ? "```\n" : word % 9 === 0 ? "\n" : " ")],
])("%s", (_, join) => {
  test("scrolls away in order, every word once", () => {
    expect(shown(() => 40, join)).toEqual(all);
  });

  test.each([
    ["wider", 20, 90],
    ["narrower", 90, 20],
  ])("no word is left out when the screen gets %s, and no more than a row comes twice", (_how, before, after) => {
    const seen = shown((word) => (word < 150 ? before : after), join);
    expect([...new Set(seen)]).toEqual(all);
    expect(seen.length - all.length).toBeLessThanOrEqual(14);
  });
});
