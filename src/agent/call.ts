// The stations of one call, as types: resolved (its tool is known), ready (its plan is made), settled (it has ended).
// Invariant: every call ends as one `Settled`.

import type { JsonObject } from "../core/json.js";
import type { CallPart } from "../core/message.js";
import type { FileChange, Plan, View } from "../core/plan.js";
import type { CallStatus, Tool, ToolContext, ToolDescriptor } from "../core/tool.js";
import type { HookVerdict } from "./hooked.js";

export interface Settled {
  call: CallPart;
  /** The tool that ran: behind a door, the one it opened. */
  tool: string;
  status: CallStatus;
  text: string;
  view?: View;
  files: readonly FileChange[];
  exit?: number | null;
  streams?: { stdout: string; stderr: string };
  /** The text that was written is only a beginning: the name of the file, as the model gave it. */
  cutIn?: string;
  ms: number;
  /** False when it ended before its plan was made, so that nothing was announced yet. */
  begun: boolean;
}

/** A call whose tool is known and allowed; `reads` = it can only read, so it may run beside others. */
export interface Resolved {
  call: CallPart;
  descriptor: ToolDescriptor;
  input: JsonObject;
  reads: boolean;
  /** Its text came in a reply of its own (apart.ts). */
  apart?: Apart;
}

/** What was asked for apart from the call. */
export interface Apart {
  text: string;
  /** What was said behind it and is no part of it; "" = nothing. */
  remark: string;
  /** Monotonic milliseconds at which the call began; it has been announced since. */
  started: number;
}

export interface Ready {
  call: CallPart;
  descriptor: ToolDescriptor;
  tool: Tool;
  plan: Plan;
  context: ToolContext<never>;
  input: JsonObject;
  started: number;
  /** What hooks said about it. */
  hooked?: HookVerdict;
  /** That a hook rewrote its input, and to what: one line. */
  rewritten?: string;
}

export function settle(call: CallPart, tool: string, status: CallStatus, text: string): Settled {
  return { call, tool, status, text, files: [], ms: 0, begun: false };
}
