// The outer machine of a run: pure, never awaits. One line of this table is one line of its test.
//
//   state      input     condition                         -> state      action
//   created    begin                                          running    none
//   running    settled   a steer waits, delivered < cap       follow_up  steer
//   running    settled   a task has ended, untold            follow_up  task
//   running    settled   a hook asks, retries < cap           follow_up  hook_retry
//   running    settled   otherwise                            completed  stop
//   follow_up  settled   as for running                       follow_up | completed
//   any live   cancel                                         cancelled  none
//   any live   fail                                           failed     none
//   terminal   cancel, fail                                   unchanged  none
//
// Steering by the user comes first, and hooks are asked last: only a run that would end is theirs to hold. Everything else is a bug and throws.

export type RunState = "created" | "running" | "follow_up" | "completed" | "cancelled" | "failed";

export type RunInput =
  | { type: "begin" }
  | { type: "settled"; steers: number; task: boolean; hookRetry: boolean }
  | { type: "cancel" }
  | { type: "fail" };

export type RunAction = "steer" | "task" | "hook_retry" | "stop" | null;

export interface Controller {
  readonly state: RunState;
  /** Steers delivered after a settled turn. */
  readonly steers: number;
  readonly hookRetries: number;
}

export interface ControllerCaps {
  /** Queued steers delivered per run. */
  steers: number;
  hookRetries: number;
}

export const created: Controller = { state: "created", steers: 0, hookRetries: 0 };

export const defaultCaps: ControllerCaps = { steers: 50, hookRetries: 3 };

export function step(at: Controller, input: RunInput, caps: ControllerCaps): { next: Controller; action: RunAction } {
  const terminal = at.state === "completed" || at.state === "cancelled" || at.state === "failed";
  switch (input.type) {
    case "cancel":
      return { next: terminal ? at : { ...at, state: "cancelled" }, action: null };
    case "fail":
      return { next: terminal ? at : { ...at, state: "failed" }, action: null };
    case "begin":
      if (at.state !== "created") throw illegal(at, input);
      return { next: { ...at, state: "running" }, action: null };
    case "settled":
      if (at.state !== "running" && at.state !== "follow_up") throw illegal(at, input);
      return settle(at, input, caps);
  }
}

function settle(
  at: Controller,
  input: { steers: number; task: boolean; hookRetry: boolean },
  caps: ControllerCaps,
): { next: Controller; action: RunAction } {
  if (input.steers > 0 && at.steers < caps.steers) {
    return { next: { ...at, state: "follow_up", steers: at.steers + 1 }, action: "steer" };
  }
  if (input.task) return { next: { ...at, state: "follow_up" }, action: "task" };
  if (input.hookRetry && at.hookRetries < caps.hookRetries) {
    return { next: { ...at, state: "follow_up", hookRetries: at.hookRetries + 1 }, action: "hook_retry" };
  }
  return { next: { ...at, state: "completed" }, action: "stop" };
}

function illegal(at: Controller, input: RunInput): Error {
  return new Error(`controller: ${input.type} is not legal in state ${at.state}`);
}
