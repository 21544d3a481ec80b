// The result of a run: the object that scripts parse (CONTRACT §5, SPEC 2.1). Its field names are the published ones.

import type { Json, JsonObject } from "./json.js";
import type { Usage } from "./message.js";
import type { FileChange } from "./plan.js";

export type Subtype =
  | "success"
  | "error_during_execution"
  | "error_auth"
  | "error_loop_detected"
  | "error_max_turns"
  | "error_budget"
  | "error_denied"
  | "error_truncated"
  | "error_provider"
  | "error_cancelled";

export interface Result {
  type: "result";
  subtype: Subtype;
  is_error: boolean;
  /** The final answer, or what is known instead of one. */
  result: string;
  /** Why it failed, in one sentence; absent on success. */
  detail?: string;
  session_id: string;
  num_turns: number;
  duration_ms: number;
  total_cost_usd: number | null;
  usage: ResultUsage;
  /** `hit_rate`: share of the tokens sent that came from the cache; null when nothing was sent. */
  cache: { hit_rate: number | null; breaks: CacheBreak[] };
  permission_denials: Denial[];
  exit_code: number;
  /** Every file changed, net over the run. */
  files: FileChange[];
  structured_output?: Json;
  tasks: JsonObject[];
  /** Steering that was accepted and never reached the model. */
  undelivered: string[];
  /** `partial`: something a command could have changed was not kept, so `cinch undo` could not bring it back. */
  coverage: "full" | "partial";
}

export type CacheSection = "tools" | "stable" | "context" | "messages";

/** A request that did not extend the one before. */
export interface CacheBreak {
  section: CacheSection;
  cause: string;
  /** What it costs once, estimated; null = unknown. */
  tokens: number | null;
  usd: number | null;
}

export interface ResultUsage {
  input_tokens: number;
  output_tokens: number;
  cache_read_input_tokens: number;
  cache_creation_input_tokens: number;
}

export function resultUsage({ input, output, cacheRead, cacheWrite }: Usage): ResultUsage {
  return {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
  };
}

export interface Denial {
  tool_name: string;
  tool_use_id: string;
  tool_input: JsonObject;
  reason: string;
  /** Task of the agent whose call it was; absent: the session's own. */
  agent?: string;
}

/** SPEC 2.1. `error_cancelled` carries the signal's code instead when a signal ended the run. */
export const exitOf: Record<Subtype, number> = {
  success: 0,
  error_during_execution: 1,
  error_auth: 3,
  error_loop_detected: 5,
  error_max_turns: 6,
  error_budget: 6,
  error_denied: 7,
  error_truncated: 8,
  error_provider: 75,
  error_cancelled: 130,
};
