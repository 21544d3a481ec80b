import { expect, test } from "vitest";
import type { Message, Part, Stop } from "../core/message.js";
import { judgeSummary, question, wordsFor } from "./summarise.js";

const reply = (...parts: Part[]): Message => ({ role: "assistant", parts });
const text = (text: string): Part => ({ type: "text", text });
const call: Part = { type: "call", id: "c", tool: "look", input: {} };

test.each<[string, Message, Stop, object]>([
  ["text", reply(text(" We did it. ")), "end", { text: "We did it." }],
  ["text beside a call", reply(text("We did it."), call), "tools", { text: "We did it." }],
  ["a call alone", reply(call), "tools", { refused: "it was a call, and text was asked for" }],
  ["nothing", reply(), "end", { refused: "it was empty" }],
  ["blanks", reply(text(" \n ")), "end", { refused: "it was empty" }],
  ["half of it", reply(text("We di")), "length", { refused: "it was cut by the output limit" }],
  ["a refusal", reply(text("No.")), "refusal", { refused: "the model refused" }],
  ["too much", reply(text("x".repeat(101))), "end", { refused: "it did not make the conversation shorter" }],
])("%s", (_, message, stop, verdict) => {
  expect(judgeSummary(message, stop, (summary) => summary.length <= 100)).toEqual(verdict);
});

test("the question gives the length, what the user wants kept, and why it is asked again", () => {
  const plain = question({ words: 300 });
  expect(plain).toContain("at most 300 words");
  expect(plain).not.toMatch(/in particular|could not be used/);
  const again = question({ words: 300, focus: "the schema", refused: "it was empty" });
  expect(again).toMatch(/^Your last answer to this could not be used: it was empty\./);
  expect(again).toMatch(/kept in particular: the schema$/);
});

test.each([
  [64, 24],
  [1_000, 375],
  [100_000, 1_500],
])("%i tokens are %i words", (tokens, words) => {
  expect(wordsFor(tokens)).toBe(words);
});
