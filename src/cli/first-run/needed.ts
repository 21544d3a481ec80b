// Whether there is a model to talk to, told from settings, environment and kept keys alone; and what keys look like. Pure.

import type { Settings } from "../../config/schema.js";
import { keySource, pickModel } from "../../models/pick.js";

/** Providers whose key is one word, in the order in which one of several keys decides (models/pick.ts). */
export const keyHolders = [
  { name: "Anthropic", provider: "anthropic", variable: "ANTHROPIC_API_KEY", shape: /^sk-ant-/ },
  { name: "OpenAI", provider: "openai", variable: "OPENAI_API_KEY", shape: /^sk-(?!ant-|or-)/ },
  { name: "Google", provider: "google", variable: "GEMINI_API_KEY", shape: /^AIza/ },
  { name: "OpenRouter", provider: "openrouter", variable: "OPENROUTER_API_KEY", shape: /^sk-or-/ },
] as const;

export interface ModelFacts {
  /** As `-m` names it. */
  named: string | undefined;
  settings: Pick<Settings, "model" | "models">;
  env: Readonly<Record<string, string | undefined>>;
  keys: Readonly<Record<string, string>>;
}

/** What is missing: `wanted` is a variable, null = any key. Undefined: nothing is, or nothing that asking could mend. */
export function missingKey({ named, settings, env, keys }: ModelFacts): { wanted: string | null } | undefined {
  const all = { ...keys, ...env };
  const id = named ?? pickModel(all, settings)?.id;
  if (id === undefined) return settings.models.local ? undefined : { wanted: null };
  const holder = keyHolders.find(({ provider }) => id.startsWith(`${provider}/`));
  if (!holder || keySource(holder.provider, all, settings.models) !== undefined) return undefined;
  return { wanted: holder.variable };
}

/** Null: it looks like none, or like several. */
export function variableOfKey(key: string): string | null {
  return keyHolders.find(({ shape }) => shape.test(key))?.variable ?? null;
}
