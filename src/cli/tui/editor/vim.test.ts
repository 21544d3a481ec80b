import { expect, test } from "vitest";
import { Draft } from "./draft.js";
import { Vim } from "./vim.js";

/** Text with | at the cursor, keys in normal mode, and the same afterwards; X is typed where they end in insert mode. */
const rows: readonly [before: string, keys: string, after: string][] = [
  ["one| two", "h", "on|e two"],
  ["one| two", "l", "one |two"],
  ["|one two", "w", "one| two"],
  ["|one two", "e", "one| two"],
  ["one two|", "b", "one |two"],
  ["one two|", "2b", "|one two"],
  ["one two|", "0", "|one two"],
  ["one two|", "^", "|one two"],
  ["|one two", "$", "one two|"],
  ["o|ne\ntwo", "j", "one\nt|wo"],
  ["one\nt|wo", "k", "o|ne\ntwo"],
  ["o|ne\ntwo", "G", "one\ntwo|"],
  ["one\nt|wo", "g", "|one\ntwo"],
  ["one| two", "i", "oneX| two"],
  ["on|e two", "a", "oneX| two"],
  ["|one two", "A", "one twoX|"],
  ["one two|", "I", "X|one two"],
  ["o|ne\ntwo", "o", "one\nX|\ntwo"],
  ["one\nt|wo", "O", "one\nX|\ntwo"],
  ["|one two", "x", "|ne two"],
  ["|one two", "3x", "| two"],
  ["one| two", "X", "on| two"],
  ["one| two", "D", "one|"],
  ["one| two", "C", "oneX|"],
  ["|one two", "dwp", "one| two"],
  ["|one two three", "d2w", "| three"],
  ["|one two three", "2dw", "| three"],
  ["|one two", "cw", "X| two"],
  ["one two|", "db", "one |"],
  ["one| two", "d$", "one|"],
  ["one| two", "d0", "| two"],
  ["one\nt|wo\nthree", "dd", "one\n|three"],
  ["|one two", "xu", "|one two"],
  ["|one two", "dzx", "|ne two"],
];

test.each(rows)("%j, %s", (before, keys, after) => {
  const [draft, vim] = [new Draft(), new Vim()];
  draft.set(before.replace("|", ""));
  vim.escape(draft);
  draft.cursor = before.indexOf("|");
  for (const key of keys) vim.key(draft, key);
  if (vim.mode === "insert") draft.insert("X");
  expect(`${draft.text.slice(0, draft.cursor)}|${draft.text.slice(draft.cursor)}`).toBe(after);
});

test("Escape leaves insert mode, then an unfinished command, then nothing of its own", () => {
  const [draft, vim] = [new Draft(), new Vim()];
  draft.set("one");
  expect([vim.mode, vim.escape(draft), vim.mode, draft.cursor]).toEqual(["insert", true, "normal", 2]);
  vim.key(draft, "d");
  expect([vim.escape(draft), vim.escape(draft)]).toEqual([true, false]);
  vim.key(draft, "x");
  expect(draft.text).toBe("on");
});
