// The formations of a harness: what it has of the user's and of a trusted project, beside those that come with Cinch.

import type { Harness } from "../index.js";
import { type KnownFormation, knownFormations } from "./catalog.js";

export async function formationsOf(harness: Pick<Harness, "agents" | "formations">): Promise<KnownFormation[]> {
  const [agents, files] = await Promise.all([harness.agents(), harness.formations()]);
  return knownFormations(
    files,
    agents.map(({ name }) => name),
  );
}
