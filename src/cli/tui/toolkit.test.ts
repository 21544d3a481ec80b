import { visibleWidth as widthOfAny } from "@mariozechner/pi-tui/dist/utils.js";
import { expect, test } from "vitest";
import { visibleWidth } from "./toolkit.js";

test("the short way to a width agrees with the long one for every character of the first plane, alone and between letters", () => {
  const wrong: string[] = [];
  for (let code = 0x20; code < 0xfffe; code++) {
    for (const text of [String.fromCharCode(code), `a${String.fromCharCode(code)}b`]) {
      if (visibleWidth(text) !== widthOfAny(text)) wrong.push(code.toString(16));
    }
  }
  expect(wrong).toEqual([]);
});

test("pictures and other scripts have the width a terminal gives them", () => {
  expect(["👩‍🚀", "漢字", "é", "e\u0301", "❯ ─ ● ◐"].map(visibleWidth)).toEqual([2, 4, 1, 1, 7]);
});
