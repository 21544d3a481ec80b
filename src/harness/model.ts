// Which model a session talks to, and why: the caller's own, the one named, the one a key stands for, or an error
// that gives the shortest ways to get one (CONTRACT §1).

import { homedir } from "node:os";
import type { Settings } from "../config/schema.js";
import { UserError } from "../core/errors.js";
import { type Clock, longestTimer } from "../core/ids.js";
import type { Model } from "../core/model.js";
import type { Fs } from "../lib/fs.js";
import { factsOf } from "../models/catalog.js";
import { mustBeModel, openModel } from "../models/open.js";
import { pickModel } from "../models/pick.js";
import type { StoredKeys } from "../secrets/key-store.js";
import { knownSecrets } from "../secrets/known.js";
import type { ModelChain } from "./fallback.js";
import { loadDiscovery, loadFallback, loadGlob, loadProcess } from "./lazy.js";
import type { Supervision } from "./supervision.js";

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
  const { id, source } = givenOrOwn(choice) ?? picked(choice) ?? (await localModel(choice));
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
    runHelper: (command) => runHelper(command, choice),
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
    } catch {
      const fix = "Use * for any characters of a name, ** for any characters at all.";
      throw new UserError(`${key}: ${JSON.stringify(pattern)} is not a pattern.`, fix);
    }
  });
}

/** Local servers are looked for only when no key exists; headless runs are told what to type (SPEC 1.22). */
async function localModel(choice: ModelChoice): Promise<{ id: string; source: string }> {
  const { discoverLocal } = await loadDiscovery();
  const found = await discoverLocal();
  const [first] = found;
  if (first && choice.settings.models.local) return { id: first.id, source: `local server ${first.baseUrl}` };
  if (first) {
    const ways = found.slice(0, 3).map((server) => `-m ${server.id}`);
    throw new UserError(
      "No model is named and no key is set, but a local model server answers.",
      `Run again with ${ways.join(" or ")}, or set models.local to true in your settings.`,
      3,
    );
  }
  throw new UserError(
    "No model: none is named, no key is set, and no local model server answers.",
    [
      "The three shortest ways to get one:",
      "  export ANTHROPIC_API_KEY=…   (or OPENAI_API_KEY, GEMINI_API_KEY, OPENROUTER_API_KEY)",
      "  ollama serve                 and name its model with -m openai-compatible/<model>",
      "  cinch                        in a terminal: asks for a key and keeps it in keys.json beside your settings",
    ].join("\n"),
    3,
  );
}

/** The user's own command (`apiKeyHelper`), run by a plain shell outside the project; what it prints is the key. */
async function runHelper(command: string, { env, supervision }: ModelChoice): Promise<string> {
  await supervision.hide();
  const { runProgram } = await loadProcess();
  const set = Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const printed: Buffer[] = [];
  const { exit, stderr } = await runProgram("/bin/sh", ["-c", command], {
    cwd: homedir(),
    env: Object.fromEntries(set),
    signal: AbortSignal.timeout(30_000),
    onChunk: (chunk) => printed.push(chunk) < 1_000,
  });
  const key = Buffer.concat(printed).toString("utf8").trim();
  knownSecrets.learn("apiKeyHelper", key);
  if (exit === 0) return key;
  const why = stderr.trim().split("\n").at(-1) || `exit code ${exit}`;
  throw new UserError(
    `The command in apiKeyHelper failed: ${why}.`,
    "Run it by hand, or put the key into the environment.",
    3,
  );
}
