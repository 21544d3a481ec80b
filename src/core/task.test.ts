import { expect, test } from "vitest";
import { isSettled, mayBecome, type TaskState, taskStates } from "./task.js";

test("a task changes its state along the table and in no other way", () => {
  const legal: Record<TaskState, TaskState[]> = {
    queued: ["running", "cancelled", "interrupted"],
    running: ["succeeded", "failed", "cancelled", "interrupted"],
    succeeded: [],
    failed: [],
    cancelled: [],
    interrupted: ["queued"],
  };
  for (const from of taskStates) {
    expect(taskStates.filter((to) => mayBecome(from, to))).toEqual(taskStates.filter((to) => legal[from].includes(to)));
  }
});

test("what is settled goes on only when it was interrupted", () => {
  for (const state of taskStates) {
    const next = taskStates.filter((to) => mayBecome(state, to));
    if (isSettled(state)) expect(next).toEqual(state === "interrupted" ? ["queued"] : []);
    else expect(next).toContain("interrupted");
  }
});
