// What a change makes of the list of what waits.

import { expect, test } from "vitest";
import { changeOf, revised, type SteerChange, type Waiting } from "./steer.js";

const waiting: Waiting[] = ["a", "b", "c"].map((id) => ({ id, mode: "queue", text: id.toUpperCase() }));

test.each<[id: string, change: SteerChange, made: string]>([
  ["b", { text: "other" }, "a:A b:other c:C"],
  ["c", { before: "a" }, "c:C a:A b:B"],
  ["a", { before: "c" }, "b:B a:A c:C"],
  ["c", { text: "new", before: "b" }, "a:A c:new b:B"],
  ["b", { before: "b" }, "a:A b:B c:C"],
  ["b", { before: "gone" }, "a:A b:B c:C"],
  ["gone", { text: "x", before: "a" }, "a:A b:B c:C"],
])("%s with %j", (id, change, made) => {
  expect(
    revised(waiting, id, change)
      .map((each) => `${each.id}:${each.text}`)
      .join(" "),
  ).toBe(made);
});

test("a note says the text, and the place when there is one", () => {
  expect(changeOf({ code: "steer.revised", text: "x", data: { id: "a" } })).toEqual({ text: "x" });
  expect(changeOf({ code: "steer.revised", text: "x", data: { id: "a", before: "b" } })).toEqual({
    text: "x",
    before: "b",
  });
});
