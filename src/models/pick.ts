// Which model to use when nobody named one. Pure: environment and settings in, an id and its reason out.
// Deliberately not here: looking for local servers (discover.ts); that happens only when this finds nothing.

import { providers } from "./index.gen.js";
import type { Env } from "./provider.js";

export interface Pick {
  /** `provider/model`. */
  id: string;
  /** Why, for the first line on the screen: a setting or the name of a variable. */
  source: string;
}

/** Order in which a key decides (the first one that is set). */
const order = ["anthropic", "openai", "google", "openrouter", "bedrock"];

/** Variables that say "this provider" by themselves, where they differ from what the provider can use as a key. */
const deciding: Readonly<Record<string, readonly string[]>> = { openrouter: ["OPENROUTER_API_KEY"] };

const defaults: Readonly<Record<string, string>> = { openrouter: "anthropic/claude-sonnet-4.5" };

/** The setting `model`, else the first provider with a key in the environment, else null. */
export function pickModel(env: Env, settings: { model?: string | undefined }): Pick | null {
  if (settings.model) return { id: settings.model, source: "setting model" };
  for (const name of order) {
    const descriptor = providers.find((entry) => entry.descriptor.names.includes(name))?.descriptor;
    const model = defaults[name] ?? descriptor?.defaultModel;
    if (!descriptor || !model) continue;
    const key = (deciding[name] ?? descriptor.keyEnv).find((variable) => env[variable]);
    if (key) return { id: `${name}/${model}`, source: key };
  }
  return null;
}
