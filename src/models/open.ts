// Opens the model that `-m`, a setting or an environment names. The only place that turns settings and environment
// into a key, a base URL and facts; providers get the result.
// Invariant: a word that is not a provider is an error with the valid ones, never a guess; no key is ever in a message.

import { modelTiers } from "../core/agent.js";
import { UserError } from "../core/errors.js";
import type { Clock } from "../core/ids.js";
import type { Json } from "../core/json.js";
import type { Model } from "../core/model.js";
import type { Redactor } from "../core/redactor.js";
import { type Fs, nodeFs } from "../lib/fs.js";
import { type FactOverrides, factsOf } from "./catalog.js";
import type { LocalServer } from "./discover.js";
import type { Fetch } from "./http.js";
import { providers } from "./index.gen.js";
import {
  type Env,
  type OpenContext,
  type Patience,
  type ProviderDescriptor,
  type ReplaySetup,
  stallDefaults,
} from "./provider.js";

/** User settings of one provider: `models.<provider>` of settings.json. */
export interface ProviderSettings {
  baseUrl?: string | undefined;
  /** Name of the variable that holds the key. */
  apiKeyEnv?: string | undefined;
  /** A command that prints the key. */
  apiKeyHelper?: string | undefined;
  options?: Readonly<Record<string, Json | undefined>> | undefined;
}

/** The block `models` of the user's settings: facts, and one member per provider. */
export type ModelSettings = FactOverrides & Readonly<Record<string, unknown>>;

export interface ModelDeps {
  /** Keys and endpoints are read from here and from `models`. */
  env: Env;
  cwd: string;
  clock: Clock;
  models?: ModelSettings | undefined;
  /** Write every exchange to this cassette file. */
  record?: string | undefined;
  /** Takes secrets out of what is recorded. */
  redactor?: Redactor | undefined;
  stall?: Partial<Patience> | undefined;
  /** Runs `apiKeyHelper` and returns what it printed; without it a helper in the settings is an error. */
  runHelper?: ((command: string) => Promise<string>) | undefined;
  /** Whose model it is, for scripts with several agents. Default `main`. */
  agent?: string | undefined;
  /** The name that one of several agents of this kind goes by. */
  part?: string | undefined;
  fs?: Fs | undefined;
  /** Default: the one of http.ts. */
  fetch?: Fetch | undefined;
  /** Where local servers are looked for when an id needs one. Default: the usual ports. */
  localServers?: readonly LocalServer[] | undefined;
  /** Pace of a cassette: 0 (default) = at once, 1 = as recorded. */
  replaySpeed?: number | undefined;
}

/**
 * The model with this id (`provider/model`).
 * Throws UserError: unknown provider (exit 2), no key (exit 3), unreadable script or cassette (exit 2).
 */
export function openModel(id: string, deps: ModelDeps): Promise<Model> {
  return openAs(id, id, deps);
}

/** `as`: the id the model goes by; differs from `id` only in a replay. */
async function openAs(as: string, id: string, deps: ModelDeps): Promise<Model> {
  const { provider, model, entry } = findProvider(id);
  const settings = providerSettings(deps.models, provider);
  const keyFromSettings = await settingsKey(entry.descriptor, settings, deps);
  const ctx: OpenContext = {
    id: as,
    provider,
    model,
    facts: factsOf(id, deps.models),
    env: deps.env,
    cwd: deps.cwd,
    key: keyFromSettings ?? firstSet(deps.env, entry.descriptor.keyEnv),
    baseUrl: address(settings.baseUrl ?? firstSet(deps.env, entry.descriptor.baseUrlEnv), entry.descriptor),
    keyFrom: keySource(entry.descriptor, settings, deps.env),
    keyFromSettings,
    urlFromSettings: settings.baseUrl,
    options: settings.options ?? {},
    fetch: deps.fetch ?? (await import("./http.js")).httpFetch,
    clock: deps.clock,
    fs: deps.fs ?? nodeFs,
    stall: { ...stallDefaults, ...deps.stall },
    agent: deps.agent ?? "main",
    part: deps.part,
    replaySpeed: deps.replaySpeed ?? 0,
    localServers: deps.localServers,
    reopen: (other, setup, fetch) => openAs(as, other, { ...replayDeps(other, setup, deps), fetch }),
  };
  if (deps.record !== undefined) {
    const { recording } = await import("./recording.js");
    ctx.fetch = recording(deps.record, ctx, entry.descriptor, deps.redactor);
  }
  const loaded = await entry.load();
  return loaded.open(ctx);
}

/** Found wrong here, it is not taken for a server that does not answer. */
function address(url: string | undefined, { baseUrlEnv, names }: ProviderDescriptor): string | undefined {
  if (url === undefined || (/^https?:\/\//i.test(url) && URL.canParse(url))) return url;
  const places = [...baseUrlEnv, `models.${names[0]}.baseUrl`].join(" or ");
  throw new UserError(`${JSON.stringify(url)} is not an address.`, `Set ${places} to one like https://host/v1.`);
}

/**
 * For a replay: the user's facts and options, and stand-ins for keys and address, so that the provider builds the same
 * bodies and nothing real is ever near them.
 */
function replayDeps(id: string, setup: ReplaySetup, deps: ModelDeps): ModelDeps {
  const { provider, entry } = findProvider(id);
  const { options } = providerSettings(deps.models, provider);
  const env: Record<string, string> = { AWS_SECRET_ACCESS_KEY: "replay" };
  const keys = setup.keys.length > 0 || setup.base ? setup.keys : entry.descriptor.keyEnv.slice(0, 1);
  for (const name of keys) env[name] = "replay";
  if (setup.base) for (const name of entry.descriptor.baseUrlEnv) env[name] = "http://replay.invalid/v1";
  return { ...deps, env, models: { ...deps.models, [provider]: { options } }, record: undefined };
}

/** Every valid first word of a model id. */
export function providerNames(): string[] {
  return providers.flatMap((entry) => [...entry.descriptor.names]);
}

/** Every variable that can hold a key: the descriptors' and those of `apiKeyEnv`. For hiding them from children. */
export function keyVariables(models: ModelSettings | undefined): string[] {
  const names = new Set(providers.flatMap((entry) => [...entry.descriptor.keyEnv]));
  for (const name of ["AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"]) names.add(name);
  for (const entry of providers) {
    for (const name of entry.descriptor.names) {
      const named = providerSettings(models, name).apiKeyEnv;
      if (named) names.add(named);
    }
  }
  return [...names];
}

/** Throws UserError (exit 2) when an id names no model, whether or not there is a key for it. */
export function mustBeModel(id: string): void {
  findProvider(id);
}

/** Why no agent can be given a model by this word (`fast`, `inherit`, an id); null: one can, as far as its name tells. */
export function nameFault(named: string): string | null {
  if (named === "inherit" || (modelTiers as readonly string[]).includes(named)) return null;
  try {
    findProvider(named);
    return null;
  } catch (error) {
    if (error instanceof UserError) return told(error);
    throw error;
  }
}

function told({ message, fix }: UserError): string {
  return fix === undefined ? message : `${message} ${fix}`;
}

/** Splits and checks a model id; throws UserError (exit 2) naming the valid providers. */
function findProvider(id: string) {
  const slash = id.indexOf("/");
  const provider = slash < 0 ? id : id.slice(0, slash);
  const model = slash < 0 ? "" : id.slice(slash + 1);
  const entry = providers.find(({ descriptor }) => descriptor.names.includes(provider));
  if (!entry) {
    throw new UserError(
      `"${id}" names no model: "${provider}" is not a provider.`,
      `Use <provider>/<model> with one of ${providerNames().join(", ")}.`,
    );
  }
  if (model === "") {
    const example = entry.descriptor.defaultModel ?? (entry.descriptor.keyEnv.length > 0 ? "<model>" : "<file>");
    throw new UserError(`"${id}" names a provider and no model.`, `Use for example ${provider}/${example}.`);
  }
  return { provider, model, entry };
}

function keySource({ names, keyEnv }: ProviderDescriptor, settings: ProviderSettings, env: Env): string | undefined {
  if (settings.apiKeyHelper) return `models.${names[0]}.apiKeyHelper`;
  return settings.apiKeyEnv ?? keyEnv.find((name) => env[name]);
}

async function settingsKey(
  descriptor: ProviderDescriptor,
  settings: ProviderSettings,
  deps: ModelDeps,
): Promise<string | undefined> {
  if (settings.apiKeyHelper) return helperKey(settings.apiKeyHelper, deps);
  if (settings.apiKeyEnv) {
    const key = deps.env[settings.apiKeyEnv];
    if (key) return key;
    throw new UserError(
      `The settings take the key from ${settings.apiKeyEnv}, which is not set.`,
      `Set ${settings.apiKeyEnv}, or remove models.${descriptor.names[0]}.apiKeyEnv from the settings.`,
      3,
    );
  }
  return undefined;
}

async function helperKey(command: string, deps: ModelDeps): Promise<string> {
  if (!deps.runHelper) {
    throw new UserError("models.*.apiKeyHelper cannot be run here.", "Put the key into the environment instead.", 3);
  }
  const key = (await deps.runHelper(command)).trim();
  if (key !== "") return key;
  throw new UserError("The command in apiKeyHelper printed no key.", "Run it by hand and look at what it prints.", 3);
}

function providerSettings(models: ModelSettings | undefined, name: string) {
  const own = models?.[name];
  return (typeof own === "object" && own !== null ? own : {}) as ProviderSettings;
}

function firstSet(env: Env, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = env[name];
    if (value) return value;
  }
  return undefined;
}
