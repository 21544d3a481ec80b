import { expect, test } from "vitest";
import { tryOut } from "./trial.js";

/** What works here: own process ids, an own network, anything at all. */
const kernel =
  (works: { processes: boolean; network: boolean; anything?: false }) =>
  async (wanted: { processes: boolean; network: boolean }) => {
    if (works.anything === false) return "No permissions to create new namespace";
    if (wanted.processes && !works.processes) return "Can't mount proc";
    return wanted.network && !works.network ? "loopback: Failed RTM_NEWADDR" : null;
  };

test.each([
  ["all of it", false, { processes: true, network: true }, "full", { processes: true, network: false }, ""],
  ["all of it and a network", true, { processes: true, network: true }, "full", { processes: true, network: true }, ""],
  ["no network asked for", false, { processes: true, network: false }, "full", { processes: true, network: false }, ""],
  [
    ...(["no network to be had", true, { processes: true, network: false }, "fs-only"] as const),
    { processes: true, network: false },
    "they reach the network",
  ],
  [
    ...(["no process ids", true, { processes: false, network: true }, "fs-only"] as const),
    { processes: false, network: true },
    "commands see the processes of others",
  ],
  [
    ...(["files alone", true, { processes: false, network: false }, "fs-only"] as const),
    { processes: false, network: false },
    "commands see the processes of others, and they reach the network",
  ],
  [
    ...(["nothing", true, { processes: false, network: false, anything: false as const }, "none"] as const),
    { processes: false, network: false },
    "No permissions to create new namespace",
  ],
])("%s", async (_, isolateNetwork, works, state, isolation, why) => {
  expect(await tryOut(isolateNetwork, kernel(works))).toEqual({ state, isolation, why });
});
