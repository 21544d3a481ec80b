// What of a sandbox works here, found out by running a probe in it that tries what must not be possible: in a container or on
// a hardened kernel the program may be there and allowed nothing. Invariant: a state is only said of what has just been seen
// to hold.

import type { SandboxState } from "../core/policy.js";
import type { Isolation } from "./bubblewrap.js";

export interface Trial {
  state: SandboxState;
  isolation: Isolation;
  /** What is missing, in half a sentence; "" when nothing is. */
  why: string;
  /** What the probe tried, each in a few words, and what of it succeeded and should not have. */
  tried: readonly string[];
  open: readonly string[];
}

/** `failed`: why nothing could be run. `tried`, `open`: as in Trial. */
export type Attempt = { failed: string } | Pick<Trial, "tried" | "open">;

/** The strictest isolation comes first. */
export async function tryOut(attempt: (isolation: Isolation) => Promise<Attempt>): Promise<Trial> {
  const all = [true, false].flatMap((processes) => [true, false].map((network) => ({ processes, network })));
  let first = "";
  for (const isolation of all) {
    const tried = await attempt(isolation);
    if ("failed" in tried) first ||= tried.failed;
    else return { isolation, ...tried, ...stateOf(isolation, tried.open) };
  }
  return { state: "none", isolation: { processes: false, network: false }, why: first, tried: [], open: [] };
}

function stateOf({ processes, network }: Isolation, open: readonly string[]): Pick<Trial, "state" | "why"> {
  const missing = [
    ...(processes ? [] : ["commands see the processes of others"]),
    ...(network ? [] : ["the network cannot be cut off"]),
    ...open.map((what) => `a probe could ${what}`),
  ];
  return missing.length === 0 ? { state: "full", why: "" } : { state: "fs-only", why: missing.join(", and ") };
}
