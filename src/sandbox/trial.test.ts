import { expect, test } from "vitest";
import { type Attempt, tryOut } from "./trial.js";

interface Works {
  processes: boolean;
  network: boolean;
  nothing?: true;
  open?: string[];
}

/** What works here: own process ids, an own network, nothing at all; and what a probe could do. */
const kernel =
  (works: Works) =>
  async (wanted: { processes: boolean; network: boolean }): Promise<Attempt> => {
    if (works.nothing) return { failed: "No permissions to create new namespace" };
    if (wanted.processes && !works.processes) return { failed: "Can't mount proc" };
    if (wanted.network && !works.network) return { failed: "loopback: Failed RTM_NEWADDR" };
    return { tried: ["see a file", ...(works.open ?? [])], open: works.open ?? [] };
  };

const [both, noNetwork, noProcesses, neither] = [
  { processes: true, network: true },
  { processes: true, network: false },
  { processes: false, network: true },
  { processes: false, network: false },
];

test.each<[string, Works, string, object, string]>([
  ["all of it", both, "full", both, ""],
  ["no network to be had", noNetwork, "fs-only", noNetwork, "the network cannot be cut off"],
  ["no process ids", noProcesses, "fs-only", noProcesses, "commands see the processes of others"],
  [
    ...(["files alone", neither, "fs-only", neither] as const),
    "commands see the processes of others, and the network cannot be cut off",
  ],
  [
    ...(["a wall with a hole", { ...both, open: ["write /etc/passwd"] } as Works, "fs-only", both] as const),
    "a probe could write /etc/passwd",
  ],
  ["nothing", { ...neither, nothing: true } as Works, "none", neither, "No permissions to create new namespace"],
])("%s", async (_, works, state, isolation, why) => {
  const trial = await tryOut(kernel(works));
  expect(trial).toMatchObject({ state, isolation, why, open: works.open ?? [] });
  expect(trial.tried).toEqual(works.nothing ? [] : ["see a file", ...(works.open ?? [])]);
});
