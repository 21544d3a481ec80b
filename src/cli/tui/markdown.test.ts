import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GrowingMarkdown } from "./growing-markdown.js";
import { loadHighlighter } from "./highlight.js";
import { markdownLines } from "./markdown.js";
import { type Line, textOfLine } from "./span.js";

const texts = (lines: readonly Line[]) => lines.map(textOfLine);

/** What `text` looks like when it comes in pieces of these sizes. */
function grown(text: string, sizes: readonly number[], width: number): string[] {
  const growing = new GrowingMarkdown(width);
  let stable: string[] = [];
  let end = 0;
  for (let at = 0; end < text.length; at++) {
    end = Math.min(text.length, end + (sizes[at % sizes.length] ?? 1));
    const made = growing.layout(text.slice(0, end));
    const shown = texts(made.lines);
    expect(shown.slice(0, stable.length)).toEqual(stable);
    stable = shown.slice(0, made.stable);
  }
  return texts(growing.layout(text).lines);
}

const listed = fc.constantFrom(
  ...["- one\n", "- two **bold**\n", "  - inner\n", "* star\n", "1. first\n", "2. second\n", "- [x] done\n"],
  ...["\n", "- three\n  and more\n", "- four\nlazy words\n", "- a `code` and a [link](https://x.example)\n"],
);
const anything = fc.constantFrom(
  ...[
    "- one\n",
    "  - inner\n",
    "-",
    "- ",
    "9) nine\n",
    "\n",
    "\n\n",
    "words ",
    "# Head\n",
    "---\n",
    "===\n",
    "> quote\n",
  ],
  ...["```\n", "const name\n", "    ", "\n| left | right |\n|---|---|\n| low | high |\n", "  \n", "\t", "42 "],
);
const sizes = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 5 });
const textOf = (piece: fc.Arbitrary<string>) => fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(""));

describe("a text that grows", () => {
  test("of lists looks at its end as it would have at once", () => {
    const all = fc.property(textOf(listed), sizes, fc.integer({ min: 20, max: 60 }), (text, each, width) => {
      expect(grown(text, each, width)).toEqual(texts(markdownLines(text, width)));
    });
    fc.assert(all, { numRuns: 1_000 });
  });

  test("never changes what was stable and loses no word, whatever it is", () => {
    const words = (text: string) => text.match(/[a-zA-Z]+|42/g);
    const all = fc.property(textOf(anything), sizes, fc.integer({ min: 40, max: 60 }), (text, each, width) => {
      expect(words(grown(text, each, width).join("\n"))).toEqual(words(text));
    });
    fc.assert(all, { numRuns: 1_000 });
  });

  test("is drawn at every width", () => {
    const all = fc.property(textOf(anything), sizes, fc.integer({ min: 1, max: 400 }), (text, each, width) => {
      const wide = grown(text, each, width).map((line) => line.length);
      expect(Math.max(0, ...wide)).toBeLessThanOrEqual(Math.max(2, width));
    });
    fc.assert(all, { numRuns: 1_000 });
  });

  test("the items of a list are stable as soon as the next one has begun", () => {
    const growing = new GrowingMarkdown(40);
    expect(growing.layout("3. three\n4. four").stable).toBe(1);
    expect(growing.layout("3. three\n4. four\n9. fi").stable).toBe(2);
    expect(texts(growing.layout("3. three\n4. four\n9. five").lines)).toEqual(["3. three", "4. four", "5. five"]);
  });

  test("a mark alone closes nothing: it may be text of the item before", () => {
    const growing = new GrowingMarkdown(40);
    expect(growing.layout("- one\n-").stable).toBe(0);
    expect(texts(growing.layout("- one\n-two").lines)).toEqual(["• one -two"]);
  });
});

test("what is to be done has one mark, in a close list and in a wide one", () => {
  expect(texts(markdownLines("- [x] done\n- [ ] open", 40))).toEqual(["☑ done", "☐ open"]);
  expect(texts(markdownLines("- [x] done\n\n- [ ] open", 40))).toEqual(["☑ done", "☐ open"]);
});

describe("code that grows", () => {
  const fenced = (lines: string) => `\`\`\`ts\n${lines}`;
  const styles = (lines: readonly Line[]) =>
    lines.map((each) => each.map(({ text, style }) => `${style}:${text}`).join(" "));

  test("has its colours line by line, the same as at once", async () => {
    await loadHighlighter();
    const text = fenced('const a = "x";\n/* a comment\n   of two lines */\nreturn `so\nmany`;\n\nlast();\n```');
    const growing = new GrowingMarkdown(60);
    const stable: number[] = [];
    for (let end = 1; end <= text.length; end++) stable.push(growing.layout(text.slice(0, end)).stable);
    expect(styles(growing.layout(text).lines)).toEqual(styles(markdownLines(text, 60)));
    // A comment is stable as a whole, and so is a string.
    expect([...new Set(stable)]).toEqual([0, 1, 3, 6, 7]);
  });

  test("a fence that arrives in pieces is no line of it", () => {
    const growing = new GrowingMarkdown(60);
    for (const end of ["a\n", "a\n`", "a\n``"]) growing.layout(fenced(end));
    expect(texts(growing.layout(fenced("a\n```")).lines)).toEqual(["  a"]);
  });
});
