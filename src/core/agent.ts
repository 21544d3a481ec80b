// An agent that tasks are given to, beside the one a person talks to: what it is told, and what it may use of that which its
// parent may use. Data; where it is read from is agents/.

import type { JsonSchema } from "./json.js";
import type { Profile } from "./policy.js";

/** A model is named by what it is for, and the user's settings say which one that is. */
export const modelTiers = ["fast", "smart"] as const;

export type ModelTier = (typeof modelTiers)[number];

export interface AgentDefinition {
  name: string;
  /** When to give it a task; read by the agent that does. */
  description: string;
  /** What it is told before its task. */
  instructions: string;
  /** A model's id, a tier, or that of its parent. */
  model: string | ModelTier | "inherit";
  profile: Profile;
  /** Names or aliases of the only tools it has; null = all of the profile. */
  tools: readonly string[] | null;
  /** Names or aliases of tools it has not. */
  disallowed: readonly string[];
  maxTurns?: number;
  /** US dollars. */
  maxCost?: number;
  /** `worktree`: it works in a copy of the project, and its changes come back as a patch. */
  isolation: "none" | "worktree";
  /** What its answer has to fit. */
  output?: JsonSchema;
  /** A path, or `built-in`. */
  source: string;
}
