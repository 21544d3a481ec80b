// A round, reduced to what the loop detector looks at: what was called, what came back, what changed. Hashes only.
// Invariant: two rounds have one signature exactly when they asked for the same, got the same, and left the project the
// same; the order of keys in arguments and of calls in a message makes no difference.

import type { ToolDescriptor } from "../core/tool.js";
import { sha256 } from "../lib/hash.js";
import { canonical } from "../lib/json.js";
import type { Settled } from "./call.js";

export interface RoundCall {
  tool: string;
  /** Hash of the text it answered. */
  result: string;
  failed: boolean;
  /** Hash of the text without numbers, of a failed call. */
  error: string | null;
  /** Its tool is there to change files. */
  writes: boolean;
  /** It changed some. */
  wrote: boolean;
  /** It looked at something that goes on by itself. */
  polls: boolean;
}

export interface Round {
  signature: string;
  /** Of results and state alone: what was learned, whatever was asked. */
  outcome: string;
  /** State of the project as far as this run changed it. */
  revision: string;
  calls: readonly RoundCall[];
}

type Find = (tool: string) => ToolDescriptor | undefined;

/** `revision`: Tally.revision after the round. */
export function roundOf(settled: readonly Settled[], revision: string, find: Find): Round {
  const calls = settled.map((each) => callOf(each, find));
  const asked = settled.map(({ call }, at) => `${call.tool} ${call.raw ?? canonical(call.input)} ${calls[at]?.result}`);
  return {
    signature: short([...asked.sort(), revision].join("\n")),
    outcome: short([...calls.map(({ result }) => result).sort(), revision].join("\n")),
    revision,
    calls,
  };
}

function callOf({ tool, status, text, files }: Settled, find: Find): RoundCall {
  const failed = status !== "ok";
  return {
    tool,
    result: short(text),
    failed,
    error: failed ? short(text.replace(/[0-9a-f]{8,}|\d+/g, "#")) : null,
    polls: find(tool)?.polls === true,
    writes: find(tool)?.effects.includes("write") === true,
    wrote: files.some(({ before, after, mode }) => before !== after || mode !== undefined),
  };
}

function short(text: string): string {
  return sha256(text).slice(0, 16);
}
