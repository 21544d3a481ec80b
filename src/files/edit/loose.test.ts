import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyEdits } from "./edit.js";

const edit = (text: string, oldText: string, newText: string) => applyEdits(text, [{ oldText, newText }], "a.txt");

describe("a text that is there but for", () => {
  test("quotes and blanks at line ends: probe F", () => {
    const file = "say(\u201chello\u201d);   \nit\u2019s done;\t\nend\n";
    const { text, notes } = edit(file, 'say("hello");\nit\'s done;', 'say("hello");\nit\'s over;');
    expect(text).toBe("say(\u201chello\u201d);   \nit\u2019s over;\t\nend\n");
    expect(notes).toEqual([
      "matched with curly and straight quotes taken as the same, blanks at line ends disregarded",
    ]);
  });

  test("line ends: probe G, with the file's CRLF kept", () => {
    const { text, notes } = edit("one\r\ntwo\r\nthree\r\n", "one\ntwo", "1\n2");
    expect(text).toBe("1\r\n2\r\nthree\r\n");
    expect(notes).toEqual(["matched without regard to line ends (LF, CRLF)"]);
  });

  test("quotes", () => {
    expect(edit("a \u2018b\u2019 c\n", "a 'b' c", "a 'b' d").text).toBe("a \u2018b\u2019 d\n");
    expect(edit("a 'b' c\n", "a \u2018b\u2019 c", "x").text).toBe("x\n");
  });

  test("tabs that were given as spaces: what is put in gets tabs", () => {
    const file = "if (a) {\n\tone();\n\tif (b) {\n\t\ttwo();\n\t}\n}\n";
    for (const width of [2, 4, 8]) {
      const spaces = (levels: number) => " ".repeat(width * levels);
      const old = `${spaces(1)}if (b) {\n${spaces(2)}two();\n${spaces(1)}}`;
      const fresh = `${spaces(1)}if (b) {\n${spaces(2)}two();\n${spaces(2)}three();\n${spaces(1)}}`;
      const { text, notes } = edit(file, old, fresh);
      expect(text).toBe("if (a) {\n\tone();\n\tif (b) {\n\t\ttwo();\n\t\tthree();\n\t}\n}\n");
      expect(notes).toEqual([`matched with a tab at the start of a line taken as ${width} spaces`]);
    }
  });

  test("spaces that were given as tabs", () => {
    const { text } = edit("a:\n    b\n    c\n", "\tb\n\tc", "\tb\n\t\tx\n\tc");
    expect(text).toBe("a:\n    b\n        x\n    c\n");
  });

  test("both in a CRLF file", () => {
    const file = "\u201ca\u201d  \r\n\u201cb\u201d\r\n";
    expect(edit(file, '"a"\n"b"', '"a"\nnew\n"b"').text).toBe("\u201ca\u201d  \r\nnew\r\n\u201cb\u201d\r\n");
  });
});

test("an exact match is never widened", () => {
  expect(edit("'a'\n\u2018a\u2019\n", "'a'", "b").text).toBe("b\n\u2018a\u2019\n");
});

test("several such places are refused with their lines, also with replace_all", () => {
  const file = "\u2018a\u2019\n\u2018a\u2019\n";
  for (const replaceAll of [false, true])
    expect(() => applyEdits(file, [{ oldText: "'a'", newText: "b", replaceAll }], "a.txt")).toThrow(
      /not in the file\. With curly and straight quotes.* 2 times \(lines 1, 2\)/,
    );
});

test("nothing else is looked past: case, words, blanks inside a line, half a tab", () => {
  for (const old of ["One", "one  two", "   three", "onetwo"])
    expect(() => edit("one two\n\tthrees\n", old, "x")).toThrow(/not in the file/);
});

test("outside of what old and new text differ in, not one character changes", () => {
  const unit = fc.constantFrom("a", "b", "'", '"', "\u2019", "\u201c", " ", "\t", "\n");
  fc.assert(
    fc.property(
      fc.array(unit, { minLength: 1, maxLength: 20 }),
      fc.array(unit, { maxLength: 10 }),
      fc.array(unit, { maxLength: 10 }),
      (middle, before, after) => {
        const core = middle.join("");
        const file = `${before.join("")}<${core}>${after.join("")}`;
        const straight = core.replace(/\u2019/g, "'").replace(/\u201c/g, '"');
        const old = `<${straight.replace(/[ \t]+(?=\n)/g, "")}>`;
        const { text } = edit(file, old, `${old}!`);
        expect(text).toBe(`${before.join("")}<${core}>!${after.join("")}`);
      },
    ),
  );
});
