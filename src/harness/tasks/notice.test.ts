// What a conversation is told of a task that has ended.

import { expect, test } from "vitest";
import type { TaskRecord } from "../../core/task.js";
import { noticeOf } from "./notice.js";

const ended = (more: object) =>
  ({ id: "t", kind: "shell", title: "x", state: "succeeded", started: 0, ended: 1_500, ...more }) as TaskRecord;

const output = (bytes: number, dropped = 0) => ({ output: { path: "l", bytes, dropped } });

test.each<[string, object, string]>([
  ["nothing was printed", { result: "", ...output(0) }, ""],
  ["all of it fits", { result: "one\n", ...output(4) }, "\none"],
  ["as much as fits", { result: "x".repeat(2_000), ...output(2_000) }, `\n${"x".repeat(2_000)}`],
  [
    "a byte more, with a remark behind it that makes it longer than what was printed",
    { result: `${"x".repeat(2_000)}\n[What it had left running was ended.]`, ...output(2_001) },
    `\n… the end of 2001 bytes of output:\n${"x".repeat(2_000)}\n[What it had left running was ended.]`,
  ],
  [
    "bytes that are no text",
    { result: "\ufffd".repeat(2_000), ...output(5_000) },
    `\n… the end of 5000 bytes of output:\n${"\ufffd".repeat(2_000)}`,
  ],
  [
    "its log was cut",
    { result: "x".repeat(2_000), ...output(9_000, 1_000) },
    `\n… the end of the first 8000 of 9000 bytes of output:\n${"x".repeat(2_000)}`,
  ],
  ["what is left of its log fits", { result: "x", ...output(9, 8) }, "\nthe first 1 of 9 bytes of output:\nx"],
])("a command: %s", (_, more, said) => {
  expect(noticeOf(ended(more))).toBe(`[Task t (command: x) succeeded after 1.5 s.]${said}`);
});

test("an agent: its answer from the beginning", () => {
  const said = noticeOf(ended({ kind: "agent", result: `begin${"x".repeat(5_000)}` }));
  expect(said).toBe(`[Task t (agent: x) succeeded after 1.5 s.]\nbegin${"x".repeat(3_995)}…`);
});

test("why it did not succeed, and with which code", () => {
  const error = { kind: "timeout", text: "It was ended after 1 s, which is its time." };
  const timedOut = noticeOf(ended({ state: "failed", error, exit_code: 143, signal: "SIGTERM", started: null }));
  expect(timedOut).toBe(`[Task t (command: x) failed, exit code 143, SIGTERM.]\n${error.text}`);
  expect(noticeOf(ended({ state: "failed", exit_code: 3 }))).toBe(
    "[Task t (command: x) failed after 1.5 s, exit code 3.]",
  );
});
