// Everything Cinch says about the present, as a closed union (SPEC 2.3).
// Events are ephemeral: whatever matters tomorrow is an entry, and `entry.append` is the only link between the two.

import type { CommandPart } from "./command.js";
import type { Stop, Usage } from "./message.js";
import type { View } from "./plan.js";
import type { CacheBreak, Result } from "./result.js";
import type { CallStatus } from "./tool.js";

export type Event = EventBody & EventFrame;

export interface EventFrame {
  /** Per process, from 1. */
  seq: number;
  session: string;
  /** Task id, or `main`. */
  agent: string;
  /** ISO 8601 with milliseconds. */
  time: string;
}

export type SteerMode = "now" | "queue";

export type EventBody =
  | { type: "run.start"; run: number; prompt: string; resumed: boolean }
  | ({ type: "run.end" } & Omit<Result, "type">)
  | { type: "turn.start"; turn: number }
  | { type: "turn.end"; turn: number; usage: Usage; cost: number | null; stop: Stop }
  /** Deltas of this turn so far are void. */
  | { type: "turn.retry"; attempt: number; kind: string; text: string; delay_ms: number; discarded: true }
  | { type: "text.delta"; text: string }
  | { type: "thinking.delta"; text: string }
  | { type: "call.start"; call: string; tool: string; summary: string; view?: View }
  | { type: "call.progress"; call: string; line: string }
  | { type: "call.end"; call: string; tool: string; status: CallStatus; text: string; view?: View; ms: number }
  | {
      type: "approval.ask";
      id: string;
      call: string;
      tool: string;
      digest: string;
      summary: string;
      view: View;
      /** Why it is asked. */
      reason: string;
      /** The parts of a command. */
      parts: readonly CommandPart[];
      /** What answering with `remember` would allow from now on; null = nothing. */
      rule: string | null;
      /** It asks for words instead of a permission: the answers on offer, perhaps none. `feedback` of an allow is the answer. */
      answers?: readonly string[];
    }
  | {
      type: "approval.end";
      id: string;
      decision: "allow" | "deny";
      by: "user" | "rule" | "hook" | "headless";
      /** Where the user was, when not where the session is held. */
      via?: string;
    }
  | { type: "state.change"; from: string; to: string; action: string | null; counts: RunCounts }
  | { type: "loop.nudge"; n: number; shape: string; count: number }
  | { type: "loop.stop"; shape: string; count: number }
  /** `tokens` and `usd` estimate what the break costs once; null = unknown. */
  | ({ type: "cache.break" } & CacheBreak)
  | { type: "compact.start"; cause: CompactionCause }
  /** `before` and `after` estimate the tokens of the next request. */
  | { type: "compact.end"; ok: boolean; text: string; before: number; after: number }
  | { type: "entry.append"; entry: string; kind: string }
  | { type: "steer.queued"; id: string; mode: SteerMode }
  /** It waits with another text, or at another place. */
  | { type: "steer.revised"; id: string }
  | { type: "steer.delivered"; id: string }
  | { type: "steer.dropped"; id: string }
  /** A control line on stdin was read; said by the front end that read it (SPEC 2.2). */
  | { type: "input.ack"; line: number; ok: boolean; error?: string }
  | { type: "task.change"; task: string; from: string | null; to: string }
  | { type: "claim.held"; path: string; owner: string }
  | { type: "claim.refused"; path: string; owner: string }
  | { type: "budget.warn"; what: string; used: number; limit: number }
  | { type: "notice"; level: "info" | "warning" | "error"; code: string; text: string };

/** `window`: it was nearly full. `overflow`: the provider refused the request. `user`: somebody asked for it. */
export type CompactionCause = "window" | "overflow" | "user";

/** Counters of one run, shown with every change of the controller's state. */
export interface RunCounts {
  model_calls: number;
  tool_calls: number;
  retries: number;
  hook_retries: number;
  queued_steers: number;
}

export type Emit = (event: EventBody) => void;
