// Which model a session talks to, and why: the caller's own, the one named, the one a key stands for, or an error
// that gives the shortest ways to get one (CONTRACT §1).

import type { Settings } from "../../config/schema.js";
import { type ModelTier, modelTiers } from "../../core/agent.js";
import { messageOf, UserError } from "../../core/errors.js";
import { type Clock, longestTimer } from "../../core/ids.js";
import type { Model } from "../../core/model.js";
import type { Fs } from "../../lib/fs.js";
import { factsOf } from "../../models/catalog.js";
import { mustBeModel, openModel } from "../../models/open.js";
import { pickModel } from "../../models/pick.js";
import type { StoredKeys } from "../../secrets/key-store.js";
import { knownSecrets } from "../../secrets/known.js";
import { loadFallback, loadGlob, loadScarce } from "../lazy.js";
import type { Supervision } from "../shell/supervision.js";
import type { ModelChain } from "./fallback.js";

export interface ModelChoice {
  named: string | Model | undefined;
  /** The model of the session that goes on: its cache is warm. */
  own: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
  /** What Cinch keeps for the user, by variable; the environment wins. */
  stored: StoredKeys;
  cwd: string;
  clock: Clock;
  disk: Fs;
  settings: Settings;
  record: string | undefined;
  replaySpeed: number | undefined;
  supervision: Supervision;
  /** Whose part of a script it is; `part`: of which of several that work as this agent. */
  agent: string;
  part?: string | undefined;
}

/** `chain`: the model, where others may go on in its place. */
export interface ChosenModel {
  model: Model;
  chain: ModelChain | undefined;
  /** Why it was chosen. */
  source: string;
}

export async function chooseModel(choice: ModelChoice): Promise<ChosenModel> {
  const { first, source } = await firstModel(choice).catch((error: unknown) => {
    const { fault } = choice.stored;
    if (fault === undefined || !(error instanceof UserError)) throw error;
    throw new UserError(error.message, [fault, error.fix].join("\n"), error.exit);
  });
  const others = othersThan(first.id, choice);
  mustHavePrices(first, others, choice.settings);
  if (others.length === 0) return { model: first, chain: undefined, source };
  const { ModelChain } = await loadFallback();
  const chain = new ModelChain(first, others, (id) => opened(id, choice));
  return { model: chain, chain, source };
}

async function firstModel(choice: ModelChoice): Promise<{ first: Model; source: string }> {
  const { named } = choice;
  if (typeof named === "object") return { first: named, source: "given" };
  const { id, source } =
    givenOrOwn(choice) ?? picked(choice) ?? (await (await loadScarce()).localModel(choice.settings));
  return { first: await opened(id, choice), source };
}

function mustHavePrices(first: Model, others: readonly string[], { limits, models }: Settings): void {
  if (limits.cost === undefined) return;
  const unknown = first.facts.prices ? others.find((id) => !factsOf(id, models).prices) : first.id;
  if (unknown === undefined) return;
  throw new UserError(
    `A limit in dollars was set, but the price of ${unknown} is not known.`,
    "Set models.prices for it, or drop the limit.",
  );
}

/**
 * Known before there is a session: a typo in this list would else be found when it is needed. A recording is of one
 * model, and a replay asks nobody.
 */
function othersThan(first: string, { settings, record }: ModelChoice): string[] {
  const { fallback } = settings.models;
  for (const id of fallback) mustBeModel(id);
  return record !== undefined || first.startsWith("cassette/") ? [] : fallback.filter((id) => id !== first);
}

/** The id behind a word that an agent's model is named by; null: that of the session it works for. */
export function meantModel(named: string, { models }: Pick<Settings, "models">): string | null {
  if (named === "inherit") return null;
  if (!isTier(named)) return named;
  const meant = models[named];
  return typeof meant === "string" ? meant : null;
}

function isTier(word: string): word is ModelTier {
  return (modelTiers as readonly string[]).includes(word);
}

/** Opens what an agent would work with, and asks it nothing. @throws UserError: no such model (exit 2), no key for it (exit 3) */
export async function mustOpen(
  named: string,
  at: Omit<ModelChoice, "named" | "own" | "record" | "replaySpeed" | "agent">,
): Promise<void> {
  const id = meantModel(named, at.settings);
  if (id !== null)
    await opened(id, { ...at, named: id, own: undefined, record: undefined, replaySpeed: undefined, agent: "main" });
}

function opened(id: string, choice: ModelChoice): Promise<Model> {
  const { settings } = choice;
  return openModel(id, {
    env: withKept(choice),
    cwd: choice.cwd,
    agent: choice.agent,
    part: choice.part,
    clock: choice.clock,
    fs: choice.disk,
    models: settings.models,
    record: choice.record,
    replaySpeed: choice.replaySpeed,
    stall: {
      betweenBytes: Math.min(settings.limits.stall * 1000, longestTimer),
      betweenParts: Math.min(settings.limits.stall * 10_000, longestTimer),
    },
    runHelper: async (command) => (await loadScarce()).runHelper(command, choice),
    redactor: knownSecrets,
  });
}

function picked(choice: ModelChoice): { id: string; source: string } | null {
  const found = pickModel(withKept(choice), choice.settings);
  if (!found) return null;
  const kept = choice.env[found.source] === undefined && choice.stored.keys[found.source] !== undefined;
  return kept ? { ...found, source: `${found.source} in keys.json` } : found;
}

/** A variable that is set, if only to nothing, is what its user wants now. */
function withKept({ env, stored }: ModelChoice): ModelChoice["env"] {
  const set = Object.entries(env).filter(([, value]) => value !== undefined);
  return { ...stored.keys, ...Object.fromEntries(set) };
}

function givenOrOwn({ named, own }: ModelChoice): { id: string; source: string } | null {
  if (typeof named === "string") return { id: named, source: "given" };
  return own === undefined ? null : { id: own, source: "the session's own" };
}

/** Whether a setting that may name models by pattern (`openai-compatible/*`, `qwen*`) means this one. */
export async function fitsModel(key: string, setting: boolean | readonly string[], id: string): Promise<boolean> {
  if (typeof setting === "boolean") return setting;
  const { globMatcher } = await loadGlob();
  return setting.some((pattern) => {
    try {
      return globMatcher(pattern)(id);
    } catch (error) {
      const begin = JSON.stringify(pattern.slice(0, 40));
      throw new UserError(`${key}: a pattern cannot be used (${begin}…): ${messageOf(error)}.`, "Write a shorter one.");
    }
  });
}
