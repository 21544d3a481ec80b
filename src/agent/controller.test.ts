import { describe, expect, it } from "vitest";
import { type Controller, created, defaultCaps, type RunInput, type RunState, step } from "./controller.js";

const at = (state: RunState, more: Partial<Controller> = {}): Controller => ({
  state,
  steers: 0,
  hookRetries: 0,
  ...more,
});
const settled = (steers: number, hookRetry: boolean, task = false): RunInput => {
  return { type: "settled", steers, task, hookRetry };
};

const table: [string, Controller, RunInput, RunState, string | null][] = [
  ["begin", created, { type: "begin" }, "running", null],
  ["cancel before begin", created, { type: "cancel" }, "cancelled", null],
  ["fail before begin", created, { type: "fail" }, "failed", null],
  ["steer waits", at("running"), settled(1, false), "follow_up", "steer"],
  ["steer beats hook", at("running"), settled(1, true), "follow_up", "steer"],
  [
    "steers at the cap leave room for the hook",
    at("follow_up", { steers: 50 }),
    settled(1, true),
    "follow_up",
    "hook_retry",
  ],
  ["steers at the cap", at("follow_up", { steers: 50 }), settled(1, false), "completed", "stop"],
  ["a task has ended", at("running"), settled(0, false, true), "follow_up", "task"],
  ["a task has ended after a follow-up", at("follow_up"), settled(0, false, true), "follow_up", "task"],
  ["steer beats task", at("running"), settled(1, false, true), "follow_up", "steer"],
  ["task beats hook", at("running"), settled(0, true, true), "follow_up", "task"],
  ["hook", at("running"), settled(0, true), "follow_up", "hook_retry"],
  ["hook at its cap", at("follow_up", { hookRetries: 3 }), settled(0, true), "completed", "stop"],
  ["nothing waits", at("running"), settled(0, false), "completed", "stop"],
  ["nothing waits after a follow-up", at("follow_up"), settled(0, false), "completed", "stop"],
  ["cancel", at("running"), { type: "cancel" }, "cancelled", null],
  ["cancel a follow-up", at("follow_up"), { type: "cancel" }, "cancelled", null],
  ["fail", at("running"), { type: "fail" }, "failed", null],
  ["fail a follow-up", at("follow_up"), { type: "fail" }, "failed", null],
  ["cancel when completed", at("completed"), { type: "cancel" }, "completed", null],
  ["fail when cancelled", at("cancelled"), { type: "fail" }, "cancelled", null],
  ["cancel when failed", at("failed"), { type: "cancel" }, "failed", null],
];

describe("controller", () => {
  it.each(table)("%s", (_name, before, input, state, action) => {
    const { next, action: taken } = step(before, input, defaultCaps);
    expect([next.state, taken]).toEqual([state, action]);
  });

  it("counts what it delivered", () => {
    const once = step(at("running"), settled(2, true), defaultCaps).next;
    const twice = step(once, settled(0, true), defaultCaps).next;
    expect(twice).toEqual({ state: "follow_up", steers: 1, hookRetries: 1 });
  });

  it.each<[RunState, RunInput]>([
    ["created", settled(0, false)],
    ["completed", settled(0, false)],
    ["failed", { type: "begin" }],
    ["running", { type: "begin" }],
  ])("refuses an illegal step from %s", (state, input) => {
    expect(() => step(at(state), input, defaultCaps)).toThrow(/not legal in state/);
  });
});
