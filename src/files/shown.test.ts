import { expect, test } from "vitest";
import { shownBy } from "./shown.js";

test.each([
  [
    "cat a.txt",
    "one\ntwo\n",
    "a.txt",
    [
      [1, "one"],
      [2, "two"],
    ],
  ],
  ["cat 'a b.txt'", "one", "a b.txt", [[1, "one"]]],
  [
    "head -n 2 src/a.ts",
    "one\r\ntwo\r\n",
    "src/a.ts",
    [
      [1, "one"],
      [2, "two"],
    ],
  ],
  ["head -2 a", "one\n", "a", [[1, "one"]]],
  [
    "sed -n '7,9p' a.txt",
    "seven\neight\n",
    "a.txt",
    [
      [7, "seven"],
      [8, "eight"],
    ],
  ],
  ["sed -n 7p a.txt", "seven\n", "a.txt", [[7, "seven"]]],
  [
    "cat -n a.txt",
    "     1\tone\n     2\ttwo\n",
    "a.txt",
    [
      [1, "one"],
      [2, "two"],
    ],
  ],
  [
    "grep -n one a.txt",
    "3:one\n9:one: two\n",
    "a.txt",
    [
      [3, "one"],
      [9, "one: two"],
    ],
  ],
])("%s shows lines of its file", (command, output, path, lines) => {
  expect(shownBy(command, output)).toEqual({ path, lines });
});

test.each([
  "cat a.txt b.txt",
  "cat a.txt | head",
  "cat a.txt; rm b",
  "cat $FILE",
  'cat "$FILE"',
  "cat *.txt",
  "cat -A a.txt",
  "cat < a.txt",
  "sed 's/a/b/' a.txt",
  "sed -i -n 1p a.txt",
  "tail a.txt",
  "ls",
  "cat",
  "cat --",
  "",
])("%s is not guessed at", (command) => {
  expect(shownBy(command, "1:one\n")).toBeNull();
});
