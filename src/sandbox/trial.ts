// What of a sandbox works here, found out by running `true` in it: in a container or on a hardened kernel the program may
// be there and allowed nothing. Invariant: a state is only said of what has just been seen to work.

import type { SandboxState } from "../core/policy.js";
import type { Isolation } from "./bubblewrap.js";

export interface Trial {
  state: SandboxState;
  isolation: Isolation;
  /** What is missing, in half a sentence; "" when nothing is. */
  why: string;
}

/** The strictest isolation comes first. `attempt` resolves to what went wrong, or null. */
export async function tryOut(
  isolateNetwork: boolean,
  attempt: (isolation: Isolation) => Promise<string | null>,
): Promise<Trial> {
  const networks = isolateNetwork ? [true, false] : [false];
  const all = [true, false].flatMap((processes) => networks.map((network) => ({ processes, network })));
  let first = "";
  for (const isolation of all) {
    const failed = await attempt(isolation);
    if (failed !== null) first ||= failed;
    else return { isolation, ...stateOf(isolation, isolateNetwork) };
  }
  return { state: "none", isolation: { processes: false, network: false }, why: first };
}

function stateOf({ processes, network }: Isolation, isolateNetwork: boolean): Pick<Trial, "state" | "why"> {
  const missing = [
    ...(processes ? [] : ["commands see the processes of others"]),
    ...(network || !isolateNetwork ? [] : ["they reach the network"]),
  ];
  return missing.length === 0 ? { state: "full", why: "" } : { state: "fs-only", why: missing.join(", and ") };
}
