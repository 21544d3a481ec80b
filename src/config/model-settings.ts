// What settings say of a model or a provider.

import type { Json } from "../core/json.js";

export interface PriceSetting {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
  date?: string;
}

export type WindowSetting = number | { window?: number; maxOutput?: number };

export interface ProviderSetting {
  baseUrl?: string;
  apiKeyEnv?: string;
  apiKeyHelper?: string;
  options?: { [name: string]: Json | undefined };
}
