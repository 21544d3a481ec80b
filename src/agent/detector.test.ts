// The shapes of detector.ts as a table. A letter is a round: same letter, same calls and results.

import { expect, test } from "vitest";
import { detect } from "./detector.js";
import type { Round, RoundCall } from "./round.js";

const call: RoundCall = {
  tool: "t",
  result: "",
  failed: false,
  error: null,
  writes: false,
  wrote: false,
  polls: false,
};

/** "aab": rounds that only read; `outcome` follows the letter. */
function rounds(letters: string, each: (letter: string, at: number) => Partial<RoundCall> = () => ({})): Round[] {
  return [...letters].map((letter, at) => {
    const one = { ...call, result: letter, ...each(letter, at) };
    return { signature: letter, outcome: one.result, revision: "0", calls: [one] };
  });
}

test.each([
  ["", null],
  ["a", null],
  ["aa", null],
  ["aaa", "same"],
  ["baaa", "same"],
  ["aaab", null],
  ["ababab", "cycle"],
  ["abcabc", "cycle"],
  ["xabcabc", "cycle"],
  ["ababac", null],
  ["abab", null],
  ["abcdef", null],
  ["aabbcc", null],
])("%s: %s", (letters, shape) => {
  expect(detect(rounds(letters), 3)?.shape ?? null).toBe(shape);
});

test("threshold 2 sees two equal rounds and A-B-A-B", () => {
  expect(detect(rounds("aa"), 2)).toEqual({ shape: "same", count: 2, tools: ["t"] });
  expect(detect(rounds("abab"), 2)?.shape).toBe("cycle");
});

test("a count goes on growing while rounds fit", () => {
  expect(detect(rounds("aaaaa"), 3)?.count).toBe(5);
});

test("the same calls in another state of the project are no loop", () => {
  const worked = rounds("aaa").map((round, at) => ({
    ...round,
    signature: `a${at}`,
    revision: `${at}`,
    outcome: `${at}`,
  }));
  expect(detect(worked, 3)).toBeNull();
});

test("one error under changing arguments", () => {
  const failing = (error: string) => ({ failed: true, error });
  expect(
    detect(
      rounds("abc", () => failing("no space left")),
      3,
    )?.shape,
  ).toBe("error");
});

test("one tool failing: at the threshold, then when a message comes back, then at twice the threshold", () => {
  const distinct = (letter: string) => ({ failed: true, error: letter });
  expect(detect(rounds("abc", distinct), 3)?.shape).toBe("failing");
  expect(detect(rounds("abcd", distinct), 3)).toBeNull();
  expect(
    detect(
      rounds("abcdf", (letter) => distinct(letter === "f" ? "a" : letter)),
      3,
    )?.shape,
  ).toBe("failing");
  expect(detect(rounds("abcdef", distinct), 3)?.shape).toBe("failing");
});

test("a success of the tool, or a change in the project, begins the count of failures anew", () => {
  const third = (letter: string, at: number) => (at === 2 ? {} : { failed: true, error: letter });
  expect(detect(rounds("abcde", third), 3)).toBeNull();
  const failing = rounds("abc", (letter) => ({ failed: true, error: letter }));
  expect(detect([failing[0], failing[1], { ...failing[2], revision: "1" }] as Round[], 3)).toBeNull();
});

test("five rounds that try to change files and do not", () => {
  const tries = () => ({ writes: true });
  expect(detect(rounds("abcd", tries), 3)).toBeNull();
  expect(detect(rounds("abcde", tries), 3)?.shape).toBe("no-bytes");
  expect(
    detect(
      rounds("abcde", (_, at) => ({ writes: true, wrote: at === 3 })),
      3,
    ),
  ).toBeNull();
});

test("different questions, one answer", () => {
  const same = () => ({ result: "(no output)" });
  expect(detect(rounds("abcde", same), 3)).toBeNull();
  expect(detect(rounds("abcdef", same), 3)?.shape).toBe("no-news");
});
