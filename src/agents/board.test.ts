import { expect, test } from "vitest";
import { Board } from "./board.js";

const made = (text: string) => ({ kind: "file_created", text }) as const;

test("what others have announced, newest first, on one line each", () => {
  const board = new Board();
  board.add("a", made("src/a.ts"));
  board.add("b", { kind: "endpoint_ready", text: "GET /users\n  returns a list" });
  expect(board.textFor("main", 1_000)).toBe(
    "Announced by agents at work beside you, newest first:\n- endpoint_ready: GET /users returns a list (b)\n- file_created: src/a.ts (a)",
  );
  expect(board.textFor("b", 1_000)).not.toContain("users");
});

test("nothing when nobody else has said anything", () => {
  const board = new Board();
  board.add("a", made("src/a.ts"));
  expect(board.textFor("a", 1_000)).toBe("");
});

test("the last fifteen, and within the budget: what does not fit is counted", () => {
  const board = new Board();
  for (let i = 0; i < 20; i++) board.add("a", made(`file-${i}`));
  const all = board.textFor("main", 5_000);
  expect(all.split("\n")).toHaveLength(16);
  expect(all).toContain("file-5 ");
  expect(all).not.toContain("file-4 ");
  const some = board.textFor("main", 200);
  expect(some.length).toBeLessThanOrEqual(200);
  expect(some).toContain("file-19");
  expect(some).toMatch(/\n- 1\d more$/);
  expect(board.textFor("main", 10)).toHaveLength(10);
});
