// What a provider is: one file per protocol in this folder with `export default defineProvider({...})`.
// The descriptor is data and is copied into index.gen.ts by `npm run manifest`; the file itself is imported only when
// one of its models is opened, so choosing a model loads nothing but what is used.
// Invariant: keys come from the environment or from user settings handed in here, never from a file of the project.

import { UserError } from "../core/errors.js";
import type { Clock } from "../core/ids.js";
import type { Json } from "../core/json.js";
import type { Model, ModelFacts } from "../core/model.js";
import type { Fs } from "../lib/fs.js";
import type { LocalServer } from "./discover.js";
import type { Fetch, StallLimits } from "./http.js";

export type Env = Readonly<Record<string, string | undefined>>;

/** What is known about a provider before its code is loaded. Plain JSON. */
export interface ProviderDescriptor {
  /** First words of `-m <name>/<model>`; the first one is the provider's own name. */
  names: readonly string[];
  /** How it speaks, for people. */
  protocol: string;
  /** Variables that hold its key, in order of preference. Empty = needs none. */
  keyEnv: readonly string[];
  /** Variables that hold its base URL, in order of preference. */
  baseUrlEnv: readonly string[];
  /** The model taken when only a key says which provider; null = never picked by itself. */
  defaultModel: string | null;
}

/** How long an answer is waited for, in milliseconds. A server may keep its connection alive and say nothing. */
export interface Patience extends StallLimits {
  /** Between two pieces of the answer itself, whatever else arrives. */
  betweenParts: number;
  /** For the whole answer. */
  total: number;
}

export const stallDefaults: Patience = {
  firstByte: 120_000,
  betweenBytes: 60_000,
  betweenParts: 600_000,
  total: 3_600_000,
};

/** What a recording depended on beside its requests. */
export interface ReplaySetup {
  /** The variables that held a key. */
  keys: readonly string[];
  /** Whether the base URL was the user's own. */
  base: boolean;
}

/** Everything a provider may use to open one model. */
export interface OpenContext {
  /** As given with `-m`. */
  id: string;
  /** The part before the first slash. */
  provider: string;
  /** The part after it: the vendor's own model id, or a file. */
  model: string;
  facts: ModelFacts;
  env: Env;
  /** Absolute; relative files of scripted models and cassettes are found from here. */
  cwd: string;
  /** From user settings (`apiKeyHelper`, `apiKeyEnv`) or else from `keyEnv`. */
  key: string | undefined;
  /** From user settings or else from `baseUrlEnv`, as written there. */
  baseUrl: string | undefined;
  /** The variable or the setting that `key` is from, for people. */
  keyFrom: string | undefined;
  /** `key` and `baseUrl` where the user's settings give them for this very provider; for providers with several names. */
  keyFromSettings: string | undefined;
  urlFromSettings: string | undefined;
  /** `models.<provider>.options` of the user's settings. */
  options: Readonly<Record<string, Json | undefined>>;
  /** The one way to the network. */
  fetch: Fetch;
  clock: Clock;
  fs: Fs;
  stall: Patience;
  /** Which agent's part of a script this is; `main` for the session itself. */
  agent: string;
  /** The name that one of several agents of this kind goes by; its part comes before that of its kind. */
  part?: string | undefined;
  /** Pace of a cassette: 0 = at once, 1 = as recorded. */
  replaySpeed: number;
  /** Where local servers are looked for; default: the usual ports. */
  localServers?: readonly LocalServer[] | undefined;
  /** Opens the recorded model of a cassette with a `fetch` of the caller's and no real key, under this very id. */
  reopen(id: string, setup: ReplaySetup, fetch: Fetch): Promise<Model>;
}

export interface Provider extends ProviderDescriptor {
  open(ctx: OpenContext): Promise<Model>;
}

/** A provider in the index: descriptor at once, code on first use. */
export interface ProviderEntry {
  descriptor: ProviderDescriptor;
  load(): Promise<Provider>;
}

export function defineProvider(provider: Provider): Provider {
  return provider;
}

/** The key, or a UserError (exit 3) that names the variables. */
export function requireKey(ctx: OpenContext, keyEnv: readonly string[]): string {
  if (ctx.key) return ctx.key;
  throw new UserError(
    `There is no key for ${ctx.id}: ${keyEnv.join(" or ")} is not set.`,
    `Set ${keyEnv[0]} in the environment, or name another model with -m.`,
    3,
  );
}
