// Which model to use when nobody named one. Pure: environment and settings in, an id and its reason out.
// Deliberately not here: looking for local servers (discover.ts); that happens only when this finds nothing.

import { providers } from "./index.gen.js";
import type { ModelSettings, ProviderSettings } from "./open.js";
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

/** The setting `model`, else the first provider with a key, in the environment or by the settings, else null. */
export function pickModel(
  env: Env,
  settings: { model?: string | undefined; models?: ModelSettings | undefined },
): Pick | null {
  if (settings.model) return { id: settings.model, source: "setting model" };
  for (const name of order) {
    const model = defaults[name] ?? descriptorOf(name)?.defaultModel;
    const key = model && keySource(name, env, settings.models);
    if (key) return { id: `${name}/${model}`, source: key };
  }
  return null;
}

/** Where the key of this provider is found: a variable, or a setting with a command. Undefined: nowhere. */
export function keySource(provider: string, env: Env, models: ModelSettings | undefined): string | undefined {
  const { apiKeyHelper, apiKeyEnv } = (models?.[provider] ?? {}) as ProviderSettings;
  if (apiKeyHelper) return `models.${provider}.apiKeyHelper`;
  if (apiKeyEnv && env[apiKeyEnv]) return apiKeyEnv;
  const variables = deciding[provider] ?? descriptorOf(provider)?.keyEnv ?? [];
  return variables.find((name) => env[name]);
}

function descriptorOf(provider: string) {
  return providers.find(({ descriptor }) => descriptor.names.includes(provider))?.descriptor;
}
